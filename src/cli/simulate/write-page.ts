import { toOneLine } from '../../runtime/failure.ts'
import { writeAnswer } from '../config/write-answer.ts'
import type { Terminal } from '../terminal.ts'

/** Writes a page and says where it is, on stderr. @throws {HelperError} `refused` when it cannot be written. */
export async function writePage(terminal: Terminal, out: string, page: string, what: string): Promise<void> {
  const readers = 'as the system creates files'
  await writeAnswer(terminal, page, { out, file: 'replaced', readers, flag: '--html' })
  terminal.tell(`${what} is in ${toOneLine(out)}\n`)
}
