import { writeFile } from 'node:fs/promises'
import { HelperError } from '../runtime/failure.ts'
import type { Terminal } from './terminal.ts'

/** Where an answer goes: printed, or to a file, which is `new` if it must not be there yet. */
export interface Destination {
  readonly out: string | undefined
  readonly file: 'new' | 'replaced'
}

/**
 * Hands out a subcommand's one answer.
 * @throws {HelperError} `refused` when the file cannot be written, or is there and must not be.
 */
export async function writeAnswer(
  terminal: Pick<Terminal, 'print'>,
  content: string | Uint8Array,
  { out, file }: Destination,
): Promise<void> {
  if (out === undefined) return terminal.print(content)
  try {
    await writeFile(out, content, { flag: file === 'new' ? 'wx' : 'w' })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const what = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`
    throw new HelperError('refused', `${out} ${what}`, 'name another file with --out', { cause })
  }
}
