import { readFile } from 'node:fs/promises'
import { HelperError } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'

/** The text of a file, or of standard input. */
export async function readInput({ terminal }: Cli, source: string): Promise<string> {
  if (source === '-') return Buffer.concat(await Array.fromAsync(terminal.readInput())).toString('utf8')
  return readFile(source, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new HelperError('usage', `cannot read ${source} (${cause.code})`, 'name a file, or - for standard input', {
      cause,
    })
  })
}
