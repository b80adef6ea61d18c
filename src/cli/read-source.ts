import { fetchDocument } from '../config/fetch-document.ts'
import type { Reading } from '../config/read-document.ts'
import { readDocumentFile } from '../config/read-file.ts'
import { readStream } from '../config/read-stream.ts'
import type { SourceShape } from './document-options.ts'
import type { Terminal } from './terminal.ts'

/** How long a server may take to hand out a document. */
const fetchTimeoutMs = 30_000

/** Reads a document from a file, from standard input (`-`) or from the URL that serves it. */
export async function readSource(
  terminal: Pick<Terminal, 'readInput'>,
  source: string,
  shape?: SourceShape,
): Promise<Reading> {
  if (/^https?:\/\//i.test(source))
    return fetchDocument(source, { fetch: globalThis.fetch, signal: AbortSignal.timeout(fetchTimeoutMs) })
  if (source !== '-') return readDocumentFile(source, shape === undefined ? {} : { shape })
  if (shape === 'managed-linux') return readStream(terminal.readInput(), { native: true })
  return readStream(terminal.readInput(), shape === undefined ? {} : { shape })
}

/** What a message calls the document. */
export function nameSource(source: string): string {
  return source === '-' ? 'standard input' : source
}
