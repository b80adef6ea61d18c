import { HelperError } from '../../runtime/failure.ts'
import { findNetworkCode, isRedirectStatus } from '../../runtime/network/network-failure.ts'
import { ownSystem, quoteForHint } from '../../runtime/text/quote.ts'
import { waitUntilAborted } from '../../runtime/wait-at-most.ts'
import { textFormats } from '../field.ts'
import { createFinding } from '../finding.ts'
import { type Served, validateUserInformation } from '../parse-value.ts'
import { maxBytes, reportTooLarge } from './container.ts'
import { parseDocument, type ReadOptions, type ReadResult, toUnreadable } from './read-document.ts'

/** Fetches a document as the client does: one request, no redirect followed, no status but 200 accepted. */
export async function fetchDocument(
  url: string,
  { fetch, signal, authentication = 'none' }: FetchOptions,
): Promise<ReadResult> {
  if (!URL.canParse(url))
    return toUnreadable([createFinding('fetch-failed', '', textFormats.uri.problem, textFormats.uri.hint)])
  const refused = validateUserInformation(new URL(url), '')
  if (refused) return toUnreadable([refused])
  try {
    return await waitUntilAborted(signal, readResponse(url, { fetch, signal, authentication }))
  } catch (cause) {
    if (signal.aborted)
      return toUnreadable([
        createFinding('fetch-failed', '', 'the server did not answer in time', renderTestCommand(url)),
      ])
    if (cause instanceof HelperError)
      return toUnreadable([createFinding('fetch-failed', '', cause.message, cause.hint)])
    if (findNetworkCode(cause) === undefined) throw cause // a defect, which must not be reported as one of the server
    return toUnreadable([createFinding('fetch-failed', '', 'the server did not answer', renderTestCommand(url))])
  }
}

interface FetchOptions {
  /** The function that fetches. The finding has the message and the hint of a `HelperError` that it throws. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly signal: AbortSignal
  /** The kind of credential that authorizes the request. It decides which rules apply to the document. */
  readonly authentication?: Served['authentication']
}

async function readResponse(
  url: string,
  { fetch, signal, authentication }: Required<FetchOptions>,
): Promise<ReadResult> {
  const response = await fetch(url, { redirect: 'manual', signal, headers: { accept: 'application/json' } })
  if (response.status !== 200) {
    await response.body?.cancel()
    return toUnreadable([reportStatus(response)])
  }
  return readStream(iterateUntilEnd(response.body ?? [], signal), { served: { url, authentication } })
}

/** Renders the command that tests a URL. It is `curl.exe` on Windows, because PowerShell has another command named `curl`. */
function renderTestCommand(url: string): string {
  const curl = ownSystem === 'windows' ? 'curl.exe -sS -o NUL' : 'curl -sS -o /dev/null'
  return `try the server with: ${curl} -w "%{http_code}\\n" ${quoteForHint(new URL(url).origin)}`
}

function reportStatus({ status, headers }: Response) {
  if (!isRedirectStatus(status)) {
    return createFinding(
      'fetch-status',
      '',
      `the server answered with HTTP ${status}, and the client accepts only 200`,
      'check the address, and the credential that the server asks for',
    )
  }
  const target = URL.parse(headers.get('location') ?? '')?.origin
  const where = target ? ` to ${target}` : ''
  return createFinding(
    'fetch-redirected',
    '',
    `the server redirects (${status})${where}, and the client does not follow redirects`,
    'use the final address, which must give the document without a sign-in page',
  )
}

/** Yields chunks, and stops reading with the first chunk after the abort, which closes the connection. */
async function* iterateUntilEnd(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, signal: AbortSignal) {
  for await (const chunk of body) {
    signal.throwIfAborted()
    yield chunk
  }
}

/** Reads a document from a stream of bytes, and stops after `maxBytes`. */
export async function readStream(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ReadOptions,
): Promise<ReadResult> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) return toUnreadable([reportTooLarge()])
  }
  return parseDocument(Buffer.concat(chunks), options)
}
