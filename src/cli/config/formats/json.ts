import { type CheckedDocument, computeStatus } from './checked-document.ts'

/** For scripts: one object for one document, and one with a list of them for several. */
export function renderJson(documents: readonly CheckedDocument[]): string {
  const reports = documents.map(({ status, source, findings }) => ({ status, document: source, findings }))
  const answer = reports.length === 1 ? reports[0] : { status: computeStatus(documents), documents: reports }
  return `${JSON.stringify(answer, undefined, 2)}\n`
}
