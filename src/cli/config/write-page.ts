import { toOneLine } from '../../runtime/failure.ts'
import type { Terminal } from '../terminal.ts'
import { writeAnswer } from './write-answer.ts'

/**
 * Writes the page of `--html` and says where it is, on stderr. It comes after what is printed, so that a file that cannot be written
 * costs only itself.
 * @throws {HelperError} `refused` when it cannot be written.
 */
export async function writePage(terminal: Terminal, out: string, page: string, what: string): Promise<void> {
  const readers = 'as the system creates files'
  await writeAnswer(terminal, page, { out, file: 'replaced', readers, flag: '--html' })
  terminal.tell(`${what} is in ${toOneLine(out)}\n`)
}
