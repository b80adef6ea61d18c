import { HelperError } from '../../runtime/failure.ts'
import { finding } from '../finding.ts'
import { findUserInformation, type Served } from '../values/validate-url.ts'
import { type ReadResult, unreadable } from './document.ts'
import { readStream } from './stream.ts'

export interface FetchContext {
  /** In the form of `fetch`; what it throws is told with its message and hint if it is a failure of ours. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly signal: AbortSignal
  /** What authorizes the request, and so decides which rules hold. */
  readonly authentication?: Served['authentication']
}

/** Fetches a document as the client does: one request, no redirects, 200 with a JSON object or nothing. */
export async function fetchDocument(
  url: string,
  { fetch, signal, authentication = 'none' }: FetchContext,
): Promise<ReadResult> {
  if (!URL.canParse(url))
    return unreadable([finding('fetch-failed', '', 'it is not a URL', 'write the full URL, beginning with https://')])
  const refused = findUserInformation(new URL(url), '')
  if (refused) return unreadable([refused])
  try {
    const response = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'application/json' } })
    if (response.status !== 200) {
      await response.body?.cancel()
      return unreadable([refusedStatus(response)])
    }
    return await readStream(response.body ?? [], { served: { url, authentication } })
  } catch (cause) {
    if (signal.aborted) return unreadable([finding('fetch-failed', '', 'it did not answer in time', tryIt(url))])
    if (cause instanceof HelperError) return unreadable([finding('fetch-failed', '', cause.message, cause.hint)])
    return unreadable([finding('fetch-failed', '', 'there was no answer', tryIt(url))])
  }
}

function tryIt(url: string): string {
  return `try it: curl -sS -o /dev/null -w '%{http_code}\\n' '${new URL(url).origin}'`
}

function refusedStatus({ status, headers }: Response) {
  if (status < 300 || status > 399) {
    return finding(
      'fetch-status',
      '',
      `the server answered ${status}; the client accepts only 200`,
      'check the address and what authorizes the request',
    )
  }
  const target = URL.parse(headers.get('location') ?? '')?.origin
  const where = target ? ` to ${target}` : ''
  return finding(
    'fetch-redirected',
    '',
    `the server redirects (${status})${where}; the client does not follow`,
    'use the final address, which must answer without a sign-in page',
  )
}
