import { writeFile } from 'node:fs/promises'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import type { Terminal } from '../terminal.ts'

/** Writes a page and says where it is, on stderr. @throws {HelperError} `refused` when it cannot be written. */
export async function writePage({ tell }: Terminal, out: string, page: string, what: string): Promise<void> {
  await writeFile(out, page).catch((cause: NodeJS.ErrnoException) => {
    const message = `${out} cannot be written (${cause.code})`
    throw new HelperError('refused', message, 'name another file with --html', { cause })
  })
  tell(`${what} is in ${toOneLine(out)}\n`)
}
