import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { ApiCredential } from '../../api/api-fetch.ts'
import { toCredentialHeader } from '../../contract/headers.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { isRedirectStatus } from '../../runtime/network/network-failure.ts'
import { type Connections, headerBytes } from '../../runtime/network/open-connections.ts'
import { toNetworkFailure, validateStatus } from '../../runtime/network/open-response.ts'
import { type BodyMemory, RequestBody } from './request-body.ts'
import type { SharedCredential } from './shared-credential.ts'
import { groupHeaders, isKeyHeader } from './validate-request.ts'

/** The gateway of the forwarded requests, and their shared parts. */
export interface Forwarding {
  readonly gateway: URL
  readonly connections: Connections
  readonly credential: SharedCredential
  readonly memory: BodyMemory
}

/**
 * Forwards one request to the gateway, and streams its answer back. After a 401 it is sent once more with another credential, if its body
 * is still available.
 * @throws {HelperError} without a credential or an answer; nothing has been written to `response` then.
 */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  forwarding: Forwarding,
): Promise<void> {
  const body = new RequestBody(request, forwarding.memory)
  try {
    const credential = await forwarding.credential.current()
    const exchange: RelayedRequest = {
      request,
      response,
      gateway: forwarding.gateway,
      connections: forwarding.connections,
    }
    const first = await attempt(exchange, credential, body)
    const answer =
      first.statusCode === 401 ? await sendAgain(exchange, { first, refused: credential, body }, forwarding) : first
    if (response.destroyed) answer.destroy()
    else sendAnswer(answer, response, forwarding.gateway)
  } finally {
    body.forget()
  }
}

interface RelayedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly gateway: URL
  readonly connections: Connections
}

interface Refused {
  /** The answer with the 401. */
  readonly first: IncomingMessage
  readonly refused: ApiCredential
  readonly body: RequestBody
}

/** Repeats the request; returns the first answer without another credential, or without the body. */
async function sendAgain(
  exchange: RelayedRequest,
  { first, refused, body }: Refused,
  { credential }: Forwarding,
): Promise<IncomingMessage> {
  first.on('error', () => {}) // the gateway may close this connection meanwhile
  const kept = await body.readKept()
  const renewed = kept && (await credential.renew(refused))
  if (!renewed) return first
  first.destroy()
  return attempt(exchange, renewed, kept)
}

function attempt(
  { request, response, gateway, connections }: RelayedRequest,
  credential: ApiCredential,
  body: RequestBody | readonly Buffer[],
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = connections.begin({
    method: request.method ?? '',
    path: `${gateway.pathname.replace(/\/+$/, '')}${request.url}`,
    headers: toGatewayHeaders(request.rawHeaders, credential),
  })
  // Both directions end together: a client that has disconnected needs no answer.
  const giveUp = () => sent.destroy()
  if (response.destroyed) giveUp()
  response.once('close', giveUp)
  sent.once('close', () => response.off('close', giveUp))
  sent.once('response', resolve)
  sent.on('error', (cause) => reject(toFailure(gateway, cause)))
  sent.once('upgrade', (_answer, socket) => {
    socket.destroy()
    reject(createAnswerFailure(gateway, 'changes the protocol of the connection, which nobody has asked for'))
  })
  if (body instanceof RequestBody) body.sendTo(sent)
  else {
    for (const chunk of body) sent.write(chunk)
    sent.end()
  }
  return promise
}

/** Forwards an answer at the speed of the client. If the answer breaks off, the connection to the client breaks off too. */
function sendAnswer(answer: IncomingMessage, response: ServerResponse, gateway: URL): void {
  const { statusCode: status = 0, statusMessage = '' } = answer
  const problem = describeUnusable(answer)
  if (problem !== undefined) {
    answer.destroy()
    throw createAnswerFailure(gateway, problem)
  }
  response.sendDate = false // the gateway's own date is passed on
  response.writeHead(status, statusMessage, toClientHeaders(answer.rawHeaders))
  // Sends the headers of a stream without content yet; the headers of a complete answer go with its first piece.
  setImmediate(() => response.writableEnded || response.flushHeaders())
  pipeline(answer, response, () => {})
}

/**
 * Describes why an answer must not be forwarded. A redirect would lead the client past this address, with its key and without its
 * credential.
 */
function describeUnusable({
  statusCode: status = 0,
  statusMessage = '',
  headers,
}: IncomingMessage): string | undefined {
  const undefinedStatus = validateStatus(status)
  if (undefinedStatus !== undefined) return undefinedStatus
  // Node accepts such bytes after the status, but throws when they are written.
  if (/[^\t\x20-\x7e\x80-\xff]/.test(statusMessage)) return 'answered with a status line that HTTP does not allow'
  if (!isRedirectStatus(status) || status === 304) return undefined
  const target = headers.location === undefined ? undefined : URL.parse(headers.location)?.host
  return `redirects${target === undefined ? '' : ` to ${toOneLine(target)}`} (HTTP ${status}), which is not followed`
}

function createAnswerFailure({ host }: URL, problem: string): HelperError {
  return new HelperError(
    'unavailable',
    `the gateway ${host} ${problem}`,
    `check that the base URL is the address of the API itself`,
  )
}

/**
 * Selects the headers for the gateway: the client's, overridden by those of the document and the helper, overridden by the credential. The
 * body keeps the client's framing.
 */
function toGatewayHeaders(
  raw: readonly string[],
  { token, scheme, headers }: ApiCredential,
): Record<string, string | string[]> {
  const grouped = groupHeaders(raw)
  const coding = grouped.get('transfer-encoding')
  const kept = [...grouped].filter(([name]) => !isDropped(name, grouped) && !ofRelay.has(name) && !isKeyHeader(name))
  const added = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const sent = new Map<string, string | string[]>(kept)
  for (const [name, value] of added) if (!ofConnection.has(name) && !framing.includes(name)) sent.set(name, value)
  if (coding) sent.set('transfer-encoding', coding)
  return { ...Object.fromEntries(sent), ...toCredentialHeader(scheme, token.reveal()) }
}

/** Explains the codes of Node's parser for an answer that is not HTTP (Node, "Errors"; llhttp), and failures of the network. */
function toFailure(gateway: URL, cause: NodeJS.ErrnoException): unknown {
  const { code = '' } = cause
  if (code === 'HPE_HEADER_OVERFLOW')
    return createAnswerFailure(gateway, `answered with more headers than are read (${headerBytes / 1024} KiB)`)
  if (code.startsWith('HPE_'))
    return createAnswerFailure(gateway, `answered with something that is not HTTP/1.1 (${code})`)
  const failure = toNetworkFailure(gateway, cause)
  // A client that learns of a credential would get another one; here the address of the gateway must be corrected.
  return failure instanceof HelperError
    ? new HelperError('unavailable', failure.message, failure.hint, { cause })
    : failure
}

/** Headers of one connection (RFC 9110, section 7.6.1), or of one of the two hosts. */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Headers of a request that are only for this address, besides its key: its host, its cookies, and the expectation that it has already
 * answered.
 */
const ofRelay = new Set(['host', 'expect', 'cookie'])

/** Headers that determine the end of a body: those of the client's own request are used. */
const framing = ['content-length', 'transfer-encoding', 'host']

/** Selects the headers for the client, in their order and spelling. */
function toClientHeaders(raw: readonly string[]): string[] {
  const grouped = groupHeaders(raw)
  return raw.filter((_, at) => !isDropped(raw[at - (at % 2)]!.toLowerCase(), grouped))
}

/** Returns whether a header ends at this connection: by its name, or because `Connection` lists it. */
function isDropped(name: string, grouped: ReadonlyMap<string, readonly string[]>): boolean {
  if (ofConnection.has(name)) return true
  const named = grouped.get('connection') ?? []
  // A length is forwarded even if `Connection` lists it, because the body would otherwise end elsewhere.
  return (
    name !== 'content-length' &&
    named.some((list) =>
      list
        .toLowerCase()
        .split(',')
        .some((each) => each.trim() === name),
    )
  )
}
