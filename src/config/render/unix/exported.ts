import type { ConfigDocument } from '../../document.ts'
import type { Finding } from '../../finding.ts'
import type { ReadResult } from '../../read/document.ts'
import { convertDocument } from '../convert.ts'
import { toManagedPreferences } from '../managed-preferences.ts'

/** A document, and what an export of it writes under each name. */
export interface Exported {
  readonly document: ConfigDocument
  readonly entries: Readonly<Record<string, unknown>>
}

interface WithFindings {
  readonly findings: readonly Finding[]
}

/** The managed preferences of macOS; `undefined` for a document that could not be read. */
export function toPreferences(result: ReadResult, clientVersion?: string): (Exported & WithFindings) | undefined {
  const exported = toManagedPreferences(result, clientVersion)
  return exported && result.document && { document: result.document, ...exported }
}

/** The managed file of Linux: its text, and the values in it; `undefined` for a document that could not be read. */
export function toManagedFile(
  result: ReadResult,
  clientVersion?: string,
): (Exported & WithFindings & { readonly text: string }) | undefined {
  const converted = convertDocument(result, 'flat', clientVersion)
  if (!converted || !result.document) return undefined
  const entries = JSON.parse(converted.content) as Record<string, unknown> // a document is an object
  return { document: result.document, entries, text: converted.content, findings: converted.findings }
}
