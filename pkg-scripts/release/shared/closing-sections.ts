import { listStatuses } from '../../../src/helper/run/help.ts'
import { vendor } from '../../../src/vendor.ts'
import type { ManualSection } from './manual.ts'

/** Creates the section on the meaning of each exit status from the table of `--help`. */
export function createStatusSection(whose: 'helpers' | 'commands'): ManualSection {
  const terms = listStatuses(whose).map(([status, meaning]) => ({ term: String(status), meaning: [meaning] }))
  return { title: 'EXIT STATUS', terms }
}

/** Creates the section about support; empty if the vendor setting does not name any. */
export function listSupportSections(): ManualSection[] {
  const { publisher, contact, helpUrl } = vendor
  const ways = [...(helpUrl === '' ? [] : [`see ${helpUrl}`]), ...(contact === '' ? [] : [`write to ${contact}`])]
  if (ways.length === 0) return []
  return [{ title: 'SUPPORT', paragraphs: [`Published by ${publisher}. For help, ${ways.join(' or ')}.`] }]
}
