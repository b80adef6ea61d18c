import { renderHint, renderNotice } from '../../runtime/failure.ts'
import { isNeutral } from '../../vendor.ts'
import { programName } from '../../version.ts'
import type { Terminal } from '../terminal.ts'

/** The note beside an answer if no client was named; empty if one was. */
export const neutralNote = isNeutral
  ? renderNotice(
      programName,
      'the names in force are neutral: a file that is made with them reaches no client as it is',
    ) + renderHint(programName, `name your client in a vendor file; see: ${programName} vendor --help`)
  : ''

/** Tells the note on standard error, so that it is in no file. */
export function tellNeutralNames({ tell }: Pick<Terminal, 'tell'>): void {
  if (neutralNote !== '') tell(neutralNote)
}
