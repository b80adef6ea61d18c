// Folder: the local address through which a client with a fixed key reaches a gateway, and the start of such a client.

import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiCredentialSource } from '../../api/api-fetch.ts'
import { requireSecureUrl } from '../../api/secure-url.ts'
import { createErrorBody } from '../../contract/http-api.ts'
import { HelperError, toHelperError, toOneLine } from '../../runtime/failure.ts'
import { closeServer, toPort } from '../../runtime/network/local-server.ts'
import { openConnections } from '../../runtime/network/open-connections.ts'
import { createRequestId } from '../../runtime/network/server-request.ts'
import type { NetworkSettings } from '../../runtime/network/settings.ts'
import { Secret } from '../../runtime/secret.ts'
import { programName } from '../../version.ts'
import { type Forwarding, forwardRequest } from './forward-request.ts'
import { SharedCredential } from './shared-credential.ts'
import { type RelayRefusal, validateRequest } from './validate-request.ts'

/** A local address that forwards requests to one gateway. */
export interface Relay {
  readonly url: string
  /** The key that requests need; it is created for this relay alone. */
  readonly key: Secret
  close(): Promise<void>
}

/** The limits of the listener; times in milliseconds. */
const bounds = {
  /** The size of all headers of a request together; a larger request is answered with 431. */
  headerBytes: 64 * 1024,
  /** How long a connection may take to send its headers. Only the client's own bodies may take longer. */
  headersMs: 10_000,
  bodyMs: 3_600_000,
  /** How long an idle connection is kept, so that a client can reuse it. */
  idleMs: 75_000,
  connections: 1_024,
  /** The most connections that have not sent the key yet. Beyond it the oldest is closed, so that nobody can lock out the client. */
  strangers: 256,
  /** All bodies together that are kept for repetition. */
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
  const strangers = addStrangerBound(server)
  await listenOn(server)
  const port = toPort(server)
  const host = `127.0.0.1:${port}`
  const identity = { host, key }
  const refused = new WeakSet<Socket>()
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    // The bytes after a refused request may belong to it, so the connection ends with its answer.
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
    // The client that uses these connections has ended.
    close: async () => {
      connections.close()
      await closeServer(server)
    },
  }
}

/** The parameters of {@link startRelay}. */
interface RelaySettings {
  /** The gateway's address, to which the path of each request is appended. */
  readonly baseUrl: string
  readonly credentials: ApiCredentialSource
  readonly network: NetworkSettings
  /** In epoch milliseconds. */
  readonly now: () => number
  /** Receives every failure that a person may have to fix. */
  readonly onFailure: (failure: HelperError) => void
}

function createListener(): Server {
  const server = createServer({
    maxHeaderSize: bounds.headerBytes,
    requestTimeout: bounds.bodyMs,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: bounds.idleMs,
    insecureHTTPParser: false,
    requireHostHeader: false, // validateRequest checks it and explains the refusal
    noDelay: true,
  })
  server.headersTimeout = bounds.headersMs
  server.maxHeadersCount = 0 // unlimited: Node drops further lines silently, and the bytes are bounded anyway
  server.maxConnections = bounds.connections
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = clientErrors[error.code ?? ''] ?? '400 Bad Request'
    if (socket.writable) socket.end(renderClientError(status))
    else socket.destroy()
  })
  return server
}

/** Closes the oldest connection without the key if there are too many. The caller removes a connection that has sent the key. */
function addStrangerBound(server: Server): Set<Socket> {
  const strangers = new Set<Socket>()
  server.on('connection', (socket) => {
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
    const [oldest] = strangers
    if (strangers.size > bounds.strangers) oldest?.destroy()
  })
  return strangers
}

/** The answers to requests that Node's parser rejects. */
const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

function renderClientError(status: string): string {
  const body = renderError('invalid_request_error', 'the request is not HTTP/1.1, too large or too slow')
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
}

function listenOn(server: Server): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host: '127.0.0.1', port: 0 }, resolve)
  return promise
}

/** Returns whether the client waits for permission to send its body (RFC 9110, section 10.1.1). */
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

/** Chooses the answer for a failure: another attempt can help only if something is unreachable. */
function toRefusal({ kind, message, hint }: HelperError): Pick<RelayRefusal, 'status' | 'message'> & { type: string } {
  const words = `${programName}: ${toOneLine(message)}; ${toOneLine(hint)}`
  if (kind === 'unavailable' || kind === 'late') return { status: 503, type: 'api_error', message: words }
  if (kind === 'bug') return { status: 500, type: 'api_error', message: words }
  return { status: 401, type: 'authentication_error', message: words }
}

/** Answers in the API's error envelope, and closes the connection, because the rest of the request is not read. */
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
