import { isNeutral } from '../../vendor.ts'
import { programName } from '../program-name.ts'
import type { Terminal } from '../terminal.ts'

/** What is said beside an answer where no client was named; empty where one was. */
export const neutralNote = isNeutral
  ? `${programName}: the names in force are neutral: a file that is made with them reaches no client as it is
${programName}: hint: name your client in a vendor file; see: ${programName} vendor --help
`
  : ''

/** Says so, once, and not where a file may go. */
export function tellNeutralNames({ tell }: Pick<Terminal, 'tell'>): void {
  if (neutralNote !== '') tell(neutralNote)
}
