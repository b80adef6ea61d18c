import { Option } from 'commander'
import { fetchDocument } from '../config/fetch-document.ts'
import { type Reading, readDocument } from '../config/read-document.ts'
import { readDocumentFile } from '../config/read-file.ts'
import { shapes } from '../config/shape.ts'
import type { Terminal } from './terminal.ts'

/** How long a server may take to hand out a document. */
const fetchTimeoutMs = 30_000

/** What a document can be said to be, where its form leaves it open. */
export type SourceShape = (typeof shapes)[number] | 'managed-linux'

/** The option for it. */
export function shapeOption(): Option {
  return new Option('--shape <shape>', 'what the file is, where its form leaves it open').choices([
    ...shapes,
    'managed-linux',
  ])
}

/** What stands for a document on the command line. */
export const documentArgument = ['<document>', 'a file, - for standard input, or the URL that serves it'] as const

/** Reads a document from a file, from standard input (`-`) or from the URL that serves it. */
export async function readSource(
  terminal: Pick<Terminal, 'readInput'>,
  source: string,
  shape?: SourceShape,
): Promise<Reading> {
  if (/^https?:\/\//i.test(source))
    return fetchDocument(source, { fetch: globalThis.fetch, signal: AbortSignal.timeout(fetchTimeoutMs) })
  if (source !== '-') return readDocumentFile(source, shape === undefined ? {} : { shape })
  const bytes = await terminal.readInput()
  if (shape === 'managed-linux') return readDocument(bytes, { native: true })
  return readDocument(bytes, shape === undefined ? {} : { shape })
}
