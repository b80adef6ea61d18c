import { HelperError } from '../../runtime/failure.ts'
import { findNetworkCode } from '../../runtime/network/network-code.ts'
import { createFinding } from '../finding.ts'
import { findUserInformation, type Served } from '../values/validate-url.ts'
import { type ReadResult, toUnreadable } from './document.ts'
import { readStream } from './stream.ts'

interface FetchOptions {
  /** In the form of `fetch`; the finding repeats message and hint of a `HelperError` that it throws. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly signal: AbortSignal
  /** What authorizes the request, which decides the rules that hold. */
  readonly authentication?: Served['authentication']
}

/** Fetches a document as the client does: one request, no redirect followed, no status but 200 accepted. */
export async function fetchDocument(
  url: string,
  { fetch, signal, authentication = 'none' }: FetchOptions,
): Promise<ReadResult> {
  if (!URL.canParse(url))
    return toUnreadable([
      createFinding('fetch-failed', '', 'it is not a URL', 'write the full URL, beginning with https://'),
    ])
  const refused = findUserInformation(new URL(url), '')
  if (refused) return toUnreadable([refused])
  try {
    const response = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'application/json' } })
    if (response.status !== 200) {
      await response.body?.cancel()
      return toUnreadable([reportStatus(response)])
    }
    return await readStream(response.body ?? [], { served: { url, authentication } })
  } catch (cause) {
    if (signal.aborted)
      return toUnreadable([createFinding('fetch-failed', '', 'it did not answer in time', renderTestCommand(url))])
    if (cause instanceof HelperError)
      return toUnreadable([createFinding('fetch-failed', '', cause.message, cause.hint)])
    if (findNetworkCode(cause) === undefined) throw cause // a defect, which must not be reported as one of the server
    return toUnreadable([createFinding('fetch-failed', '', 'there was no answer', renderTestCommand(url))])
  }
}

function renderTestCommand(url: string): string {
  return `try it: curl -sS -o /dev/null -w '%{http_code}\\n' '${new URL(url).origin}'`
}

function reportStatus({ status, headers }: Response) {
  if (status < 300 || status > 399) {
    return createFinding(
      'fetch-status',
      '',
      `the server answered ${status}; the client accepts only 200`,
      'check the address and what authorizes the request',
    )
  }
  const target = URL.parse(headers.get('location') ?? '')?.origin
  const where = target ? ` to ${target}` : ''
  return createFinding(
    'fetch-redirected',
    '',
    `the server redirects (${status})${where}; the client does not follow`,
    'use the final address, which must answer without a sign-in page',
  )
}
