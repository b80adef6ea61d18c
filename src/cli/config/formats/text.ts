import { toOneLine } from '../../../runtime/failure.ts'
import { renderFindings } from '../../show-findings.ts'
import type { Terminal } from '../../terminal.ts'
import type { CheckedDocument } from './checked-document.ts'

/** For a person. Several documents are told apart by their names, and counted at the end. */
export function renderText(documents: readonly CheckedDocument[], paint: Terminal['paint']): string {
  const [only, ...others] = documents.map((document) => renderDocument(document, paint))
  if (others.length === 0) return only ?? ''
  const titled = documents.map(
    (document) => `${paint('strong', toOneLine(document.source))}\n${renderDocument(document, paint)}\n`,
  )
  const passed = documents.filter(({ status }) => status === 0).length
  return `${titled.join('')}${passed} of ${documents.length} documents passed.\n`
}

function renderDocument({ findings, conclusion }: CheckedDocument, paint: Terminal['paint']): string {
  return `${renderFindings(findings, paint)}${conclusion}\n`
}
