import { listStatuses } from '../../../src/helper/run/help.ts'
import type { ManualSection } from './manual.ts'

/** What each exit status means, from the table of `--help`. */
export function createStatusSection(whose: 'helpers' | 'commands'): ManualSection {
  const terms = listStatuses(whose).map(([status, meaning]) => ({ term: String(status), meaning: [meaning] }))
  return { title: 'EXIT STATUS', terms }
}
