import { listStatuses } from '../../../src/helper/run/help.ts'
import type { ManualSection } from './manual.ts'

/** Creates the section on the meaning of each exit status from the table of `--help`. */
export function createStatusSection(whose: 'helpers' | 'commands'): ManualSection {
  const terms = listStatuses(whose).map(([status, meaning]) => ({ term: String(status), meaning: [meaning] }))
  return { title: 'EXIT STATUS', terms }
}
