import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tree.ts'

/** A row of `docs/README.md`: a page, what it says, and how many words it has. */
const pageRow = /^\| \[(?<name>[\w/.-]+)\]\(\k<name>\) \| (?<summary>\S.*?\S) \|(?: (?<words>[\d,]+) \|)?$/gm

/** Gives each row its number of words, commands and code included, to the next hundred. */
export function renderWordCounts(page: string): string {
  return page.replaceAll(pageRow, (...match) => {
    const { name, summary } = match.at(-1) as Record<string, string>
    return `| [${name}](${name}) | ${summary} | ${(Math.ceil(countWords(name!) / 100) * 100).toLocaleString('en')} |`
  })
}

function countWords(name: string): number {
  return readFileSync(join(root, 'docs', name), 'utf8')
    .split(/\s+/)
    .filter(Boolean).length
}
