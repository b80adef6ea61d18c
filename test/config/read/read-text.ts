import { parseDocument, type ReadOptions, type ReadResult } from '../../../src/config/read/read-document.ts'

/** Reads JSON text, or a value as JSON. */
export function read(content: unknown, context?: ReadOptions): ReadResult {
  return parseDocument(Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)), context)
}

/** Returns the findings as `severity code path`, in their order. */
export function summarize({ findings }: Pick<ReadResult, 'findings'>): string[] {
  return findings.map(({ severity, code, path }) => [severity, code, path].join(' ').trim())
}

/** Returns the result of reading, without where each value stands and what it was written as. */
export function toOutcome({ container, shape, document, unknownKeys, findings }: ReadResult) {
  return { container, shape, document, unknownKeys, findings: summarize({ findings }) }
}
