// Sends one request for a document to a configuration server; `served-source.ts` decides with which sign-in.

import type { ConfigDocument } from '../../config/document.ts'
import type { Served } from '../../config/parse-value.ts'
import type { UnknownKeys } from '../../config/read/parse-fields.ts'
import { parseDocument, type ReadResult } from '../../config/read/read-document.ts'
import { servedDocumentRules } from '../../contract/served-document.ts'
import { toSha256 } from '../../runtime/digest.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { findNetworkCode, isRedirectStatus } from '../../runtime/network/network-failure.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import type { NoDocumentReason } from '../client-event.ts'

/** A request to the configuration server, and the facts that the client has when it sends it. */
export interface ServerRequest {
  readonly url: string
  /** The headers with the credential. */
  readonly headers: Readonly<Record<string, string>>
  /** How the client has signed in, which determines the origins that a document may name. */
  readonly authentication: Served['authentication']
  /** The entity tag of the client's present answer. */
  readonly etag?: string | undefined
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/** The answer of the configuration server. */
export type ServerAnswer = DocumentAnswer | { readonly outcome: 'unchanged'; readonly status: 304 } | NoDocument

/** A document in the form that the client applies. */
export interface DocumentAnswer {
  readonly outcome: 'document'
  readonly status: 200
  readonly document: ConfigDocument
  readonly result: ReadResult
  readonly etag: string | undefined
  /** A digest of the raw body without `expiresAt`, so another order of keys is another body. */
  readonly digest: string
  /** `relaunchEnforcementHours`: how soon the client blocks after a different answer. */
  readonly enforcementHours: number
}

/** Why there is no document. `refused`: 401 or 403. */
export interface NoDocument {
  readonly outcome: 'refused' | 'failed'
  readonly reason: NoDocumentReason
  /** Absent if no server answered, or no request was sent. */
  readonly status?: number | undefined
  readonly message: string
  /** In the imperative. */
  readonly hint: string
  /** The headers of a refusal, which contain the reason. */
  readonly headers?: Headers
  /** The beginning of the body of a refusal. */
  readonly text?: string
}

/** Sends one request to the configuration server, as the client does: redirects are not followed, and the whole request has a limit. */
export async function askServer(request: ServerRequest): Promise<ServerAnswer> {
  const late = new AbortController()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.abort()
    reject(late.signal.reason)
  }, answerSec * 1000)
  try {
    return await Promise.race([exchange(request, late.signal), aborted])
  } catch (cause) {
    if (late.signal.aborted) return fail('timeout', `there was no whole answer within ${answerSec} s`, askOperators)
    return toNetworkFailure(cause)
  } finally {
    clearTimeout(timer)
  }
}

const { answerSec, answerBytes } = servedDocumentRules

const askOperators = "ask the operators of the configuration server; its log has the client's request"

async function exchange(request: ServerRequest, signal: AbortSignal): Promise<ServerAnswer> {
  const { url, headers, etag, fetch } = request
  const response = await fetch(url, {
    redirect: 'manual',
    signal,
    headers: { accept: 'application/json', ...headers, ...(etag !== undefined && { 'if-none-match': etag }) },
  })
  if (response.status === 200) return readAnswer(response, request, signal)
  const text = response.status === 401 || response.status === 403 ? await readStart(response) : undefined
  await response.body?.cancel()
  if (response.status === 304 && etag !== undefined) return { outcome: 'unchanged', status: 304 }
  return toNoDocument(response, text)
}

async function readAnswer(response: Response, request: ServerRequest, signal: AbortSignal): Promise<ServerAnswer> {
  const type = response.headers.get('content-type')
  if (!/^application\/json\s*(;|$)/i.test(type ?? '')) {
    await response.body?.cancel()
    const what = type === null ? 'without a type' : `as ${toOneLine(type.slice(0, 80))}`
    return fail('content-type', `the answer comes ${what}, and the client takes application/json alone`, pageHint, 200)
  }
  const bytes = await readWhole(response, signal)
  if (bytes === undefined)
    return fail(
      'too-large',
      `the answer is larger than ${answerBytes / 1024 / 1024} MiB`,
      'leave out of the document what clients do not read',
      200,
    )
  const { url, authentication } = request
  const result = parseDocument(bytes, { served: { url, authentication } })
  const body = parseObject(bytes.toString())
  if (result.document === undefined || body === undefined || result.container !== 'json') {
    const problem = result.findings.find(({ severity }) => severity === 'error')
    return fail(
      'not-a-document',
      `the answer is not a JSON object: ${problem?.message ?? 'it has another form'}`,
      pageHint,
      200,
    )
  }
  const { expiresAt: _, ...meaning } = body
  return {
    outcome: 'document',
    status: 200,
    document: result.document,
    result,
    etag: response.headers.get('etag') ?? undefined,
    digest: toSha256(JSON.stringify(meaning)),
    enforcementHours: selectEnforcementHours(result.unknownKeys),
  }
}

const pageHint =
  'check that bootstrapUrl leads to the configuration server itself, and not to a page or a sign-in before it'

/** Reads the whole body; `undefined` if it is too large, in which case the connection is closed. */
async function readWhole(response: Response, signal: AbortSignal): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    signal.throwIfAborted()
    size += chunk.length
    if (size > answerBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** How much of a refusal is read: it gives the reason at its beginning. Our decision. */
const enoughCharacters = 4096

/** Reads the first chunks of a refusal, which contain the reason. */
async function readStart(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > enoughCharacters) break
  }
  return text
}

/** Describes why an answer with another status than 200 contains no document. */
function toNoDocument({ status, headers }: Response, text: string | undefined): NoDocument {
  if (status === 304)
    return fail(
      'unexpected-304',
      'the server says that nothing has changed, and the client holds nothing',
      askOperators,
      status,
    )
  if (isRedirectStatus(status)) {
    const target = URL.parse(headers.get('location') ?? '')?.origin
    return fail(
      'redirect',
      `the server redirects (HTTP ${status})${target === undefined ? '' : ` to ${target}`}, and the client follows no redirect`,
      'set bootstrapUrl to the final address, which must answer without a sign-in page',
      status,
    )
  }
  if (text !== undefined)
    return { outcome: 'refused', ...(status === 401 ? unauthorized : forbidden), status, headers, text }
  const pause = headers.get('retry-after') ?? ''
  const words = /^\d{1,6}$/.test(pause) ? `, and asks for a pause of ${renderDuration(Number(pause))}` : ''
  return fail(
    'status',
    `the server answers HTTP ${status}${words}`,
    status >= 500 ? askOperators : 'check bootstrapUrl',
    status,
  )
}

const unauthorized = {
  reason: 'unauthorized',
  message: 'the server does not accept the sign-in (HTTP 401)',
  hint: 'sign in anew, with a token for this server',
} as const

const forbidden = {
  reason: 'forbidden',
  message: 'the server has no document for this person (HTTP 403)',
  hint: 'ask the owners of the configuration for a group',
} as const

/** Selects how soon the client blocks. The key is not one of our fields, so it is among the unknown keys: at the top, or in a cluster. */
function selectEnforcementHours(unknownKeys: readonly UnknownKeys[]): number {
  const found = unknownKeys
    .map(({ keys, value }) =>
      keys.at(-1) === enforcementKey ? value : (value as Record<string, unknown> | null)?.[enforcementKey],
    )
    .find((value) => typeof value === 'number')
  const { most, default: usual } = servedDocumentRules.enforcementHours
  const isValid = typeof found === 'number' && found >= 0 && found <= most
  return isValid ? found : usual
}

const enforcementKey = 'relaunchEnforcementHours'

function fail(reason: NoDocumentReason, message: string, hint: string, status?: number): NoDocument {
  return { outcome: 'failed', reason, message, hint, status }
}

/**
 * Describes a failure of the network.
 * @throws any other error, because it is a defect.
 */
function toNetworkFailure(cause: unknown): NoDocument {
  const code = findNetworkCode(cause)
  const isBroken =
    /ECONNRESET|ERR_STREAM_PREMATURE_CLOSE|HPE_/.test(code ?? '') || /aborted|broke off/.test(String(cause))
  if (cause instanceof HelperError) return fail(isBroken ? 'broken' : 'unreachable', cause.message, cause.hint)
  if (code === undefined) throw cause
  return fail(
    'unreachable',
    `the server cannot be reached (${code})`,
    'check bootstrapUrl, the network, the VPN and the proxy',
  )
}
