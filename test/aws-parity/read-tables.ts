import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A row of a table of docs/aws.md: its name, and whether what it names is served. */
export interface ParityRow {
  readonly name: string
  readonly served: string
}

/** Reads the rows of the last table under a heading of docs/aws.md. */
export async function readRows(heading: string): Promise<ParityRow[]> {
  const lines = (await readSection(heading)).split('\n')
  const begin = lines.findLastIndex((line) => /^\|[-|]+\|$/.test(line)) + 1
  const rows = lines.slice(begin).filter((line) => line.startsWith('|'))
  return rows.map((line) => {
    const [, name = '', served = ''] = line.split('|').map((cell) => cell.trim())
    return { name: name.replaceAll('`', ''), served }
  })
}

/** Reads the configuration file that a section of docs/aws.md shows. */
export async function readExample(heading: string): Promise<string> {
  return /```ini\n([\s\S]*?)```/.exec(await readSection(heading))?.[1] ?? ''
}

async function readSection(heading: string): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../docs/aws.md'), 'utf8')
  return text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
}
