import type { ReadResult } from '../config/read/document.ts'
import { fetchDocument } from '../config/read/fetch.ts'
import { readDocumentFile } from '../config/read/file.ts'
import { readStream } from '../config/read/stream.ts'
import { hideUrlSecrets } from '../runtime/hide-secrets.ts'
import { createRetryingFetch } from '../runtime/network/fetch/retrying-fetch.ts'
import { createStreamFetch } from '../runtime/network/fetch/stream-fetch.ts'
import type { Cli } from './cli.ts'
import type { SourceShape } from './document-options.ts'
import { readNetwork } from './network.ts'

/** How long a server may take to hand out a document. */
const fetchTimeoutSec = 30

/** Reads a document from a file, from standard input (`-`) or from the URL that serves it. */
export async function readSource(
  { host, terminal }: Pick<Cli, 'host' | 'terminal'>,
  source: string,
  shape?: SourceShape,
): Promise<ReadResult> {
  if (/^https?:\/\//i.test(source))
    return fetchDocument(source, {
      fetch: createRetryingFetch(
        createStreamFetch({ network: await readNetwork(host), silenceSec: fetchTimeoutSec }),
        fetchTimeoutSec,
      ),
      signal: AbortSignal.timeout(fetchTimeoutSec * 1000),
    })
  if (source !== '-') return readDocumentFile(source, shape === undefined ? {} : { shape })
  if (shape === 'managed-linux') return readStream(terminal.readInput(), { native: true })
  return readStream(terminal.readInput(), shape === undefined ? {} : { shape })
}

/** The name of the document in messages. */
export function describeSource(source: string): string {
  return source === '-' ? 'standard input' : renderSource(source)
}

/** A source as it may be shown: user, password and query of a URL may let whoever reads them fetch the document. */
export function renderSource(source: string): string {
  return hideUrlSecrets(source)
}
