import { open, rm } from 'node:fs/promises'
import { HelperError } from '../../runtime/failure.ts'
import type { Terminal } from '../terminal.ts'

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
    await writeWhole(out, content, file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const what = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`
    throw new HelperError('refused', `${out} ${what}`, 'name another file with --out', { cause })
  }
}

/** Of a new file nothing is left on a full disk: the next try would be told that it exists already. */
async function writeWhole(out: string, content: string | Uint8Array, file: Destination['file']): Promise<void> {
  const handle = await open(out, file === 'new' ? 'wx' : 'w')
  try {
    await handle.writeFile(content)
  } catch (cause) {
    if (file === 'new') await rm(out, { force: true })
    throw cause
  } finally {
    await handle.close()
  }
}
