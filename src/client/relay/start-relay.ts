// Folder: the address on this machine through which a client with a fixed key reaches a gateway, and how such a client is started.

import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ApiCredentialSource } from '../../api/api-fetch.ts'
import { requireSecureUrl } from '../../api/secure-url.ts'
import { createErrorBody } from '../../contract/http-api.ts'
import { HelperError, toHelperError, toOneLine } from '../../runtime/failure.ts'
import { openConnections } from '../../runtime/network/open-connections.ts'
import { createRequestId } from '../../runtime/network/request-body.ts'
import type { NetworkSettings } from '../../runtime/network/settings.ts'
import { Secret } from '../../runtime/secret.ts'
import { type Forwarding, forwardRequest } from './forward-request.ts'
import { SharedCredential } from './shared-credential.ts'
import { digestKey, type RelayRefusal, validateRequest } from './validate-request.ts'

/** An address on this machine that passes requests on to one gateway. */
export interface Relay {
  readonly url: string
  /** The key with which a request is passed on; made only for this relay. */
  readonly key: Secret
  close(): Promise<void>
}

/** The bounds of the listener; times in milliseconds. */
const bounds = {
  /** The size of all headers of a request together; beyond it the answer is 431. */
  headerBytes: 64 * 1024,
  /** How long a connection may take to send its headers. Only the client's own bodies take longer. */
  headersMs: 10_000,
  bodyMs: 3_600_000,
  /** How long an idle connection is kept, so that a client finds it open. */
  idleMs: 75_000,
  connections: 1_024,
  /** Connections of them that have not shown the key yet; beyond it the oldest is ended, so that nobody keeps the client out. */
  strangers: 256,
  /** All bodies together that may have to be sent again. */
  keptBytes: 64 * 1024 * 1024,
} as const

/**
 * Starts to listen on the loopback address, at a free port.
 * @throws {HelperError} `usage` or `refused` for an address to which no credential can be sent.
 */
export async function startRelay({ baseUrl, credentials, network, now, onFailure }: RelaySettings): Promise<Relay> {
  const gateway = requireSecureUrl(baseUrl, '')
  if (gateway.search !== '' || gateway.hash !== '')
    throw new HelperError('usage', 'the address of the gateway has a query', 'write it without ? and #')
  const connections = await openConnections(gateway, network)
  const credential = new SharedCredential(credentials, { now, onFailure })
  const forwarding = { gateway, connections, credential, memory: { leftBytes: bounds.keptBytes } }
  const key = randomBytes(32).toString('base64url')
  const server = createListener()
  const strangers = startEviction(server)
  await startListening(server)
  const { port } = server.address() as AddressInfo // a TCP server, which listens
  const host = `127.0.0.1:${port}`
  const identity = { host, keyDigest: digestKey(key) }
  const refused = new WeakSet<Socket>()
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    // The bytes after a refused request may belong to that request. The connection ends with its answer.
    if (refused.has(socket)) return
    const refusal = validateRequest(request, identity)
    if (refusal) {
      refused.add(socket)
      return sendError(response, refusal)
    }
    strangers.delete(socket)
    if (isAwaited(request)) response.writeContinue()
    void answerRequest(request, response, forwarding, onFailure)
  }
  server.on('request', answer)
  server.on('checkContinue', answer)
  return {
    url: `http://${host}`,
    key: new Secret(key),
    close: () => close(server, connections),
  }
}

/** The parameters of {@link startRelay}. */
interface RelaySettings {
  /** The gateway's address; the path of each request is added to it. */
  readonly baseUrl: string
  readonly credentials: ApiCredentialSource
  readonly network: NetworkSettings
  /** In epoch milliseconds. */
  readonly now: () => number
  /** Receives every failure for which a person may have to do something. */
  readonly onFailure: (failure: HelperError) => void
}

function createListener(): Server {
  const server = createServer({
    maxHeaderSize: bounds.headerBytes,
    requestTimeout: bounds.bodyMs,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: bounds.idleMs,
    insecureHTTPParser: false,
    requireHostHeader: false, // the address is checked here, with an answer in words
    noDelay: true,
  })
  server.headersTimeout = bounds.headersMs
  server.maxHeadersCount = 0 // no line is dropped in silence; the number of bytes is bounded
  server.maxConnections = bounds.connections
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = clientErrors[error.code ?? ''] ?? '400 Bad Request'
    if (socket.writable) socket.end(renderClientError(status))
    else socket.destroy()
  })
  return server
}

/** Ends the oldest connection that has not shown the key where there are too many of them. The caller deletes each that has. */
function startEviction(server: Server): Set<Socket> {
  const strangers = new Set<Socket>()
  server.on('connection', (socket) => {
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
    const [oldest] = strangers
    if (strangers.size > bounds.strangers) oldest?.destroy()
  })
  return strangers
}

/** Requests that never become one. */
const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

function renderClientError(status: string): string {
  const body = renderError('invalid_request_error', 'the request is not HTTP/1.1, too large or too slow')
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
}

function startListening(server: Server): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host: '127.0.0.1', port: 0 }, resolve)
  return promise
}

/** Whether the client waits with its body until it is told to go on (RFC 9110, section 10.1.1). */
function isAwaited({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue'
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  forwarding: Forwarding,
  onFailure: (failure: HelperError) => void,
): Promise<void> {
  try {
    await forwardRequest(request, response, forwarding)
  } catch (thrown) {
    const failure = toHelperError(thrown)
    if (failure.kind !== 'unavailable') onFailure(failure)
    if (response.headersSent) response.destroy()
    else sendError(response, toRefusal(failure))
  }
}

/** A failure as the client is told of it: another attempt can help only if something cannot be reached. */
function toRefusal({ kind, message, hint }: HelperError): Pick<RelayRefusal, 'status' | 'message'> & { type: string } {
  const words = `gatepass: ${toOneLine(message)}; ${toOneLine(hint)}`
  if (kind === 'unavailable' || kind === 'late') return { status: 503, type: 'api_error', message: words }
  if (kind === 'bug') return { status: 500, type: 'api_error', message: words }
  return { status: 401, type: 'authentication_error', message: words }
}

/** Answers in the API's error envelope, and ends the connection, because the rest of the request is not read. */
function sendError(
  response: ServerResponse,
  { status, type, message }: { status: number; type: string; message: string },
): void {
  const body = renderError(type, message)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(body)
}

function renderError(type: string, message: string): string {
  return JSON.stringify(createErrorBody(type, message, createRequestId()))
}

/** Ends every connection: the client, for which alone they are, has ended. */
async function close(server: Server, connections: Forwarding['connections']): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  connections.close()
  await closed
}
