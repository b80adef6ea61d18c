import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { hasBody } from './verifier-listener.ts'

/** The bounds of a listener; times in milliseconds. */
export const serverBounds = {
  /** The size of all headers of a request together; beyond it the answer is 431. */
  headerBytes: 64 * 1024,
  /** How long a gateway may take to send its headers, and the whole request. */
  headersMs: 10_000,
  requestMs: 15_000,
  /** How long an idle connection is kept: longer than the 60 s of nginx, because the verifier must not be the first to end it. */
  idleMs: 75_000,
  connections: 4_096,
} as const

/** A server that slow, large or malformed requests do not block. @param tls For one with TLS. */
export function createBoundedServer(listener: RequestListener, tls?: TlsOptions): Server {
  const options = {
    maxHeaderSize: serverBounds.headerBytes,
    requestTimeout: serverBounds.requestMs,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: serverBounds.idleMs,
    requireHostHeader: false,
    noDelay: true,
    optimizeEmptyRequests: true, // nobody waits for the end of a body that is not there
  }
  const server = tls ? createSecureServer({ ...options, ...tls }) : createServer(options)
  server.headersTimeout = serverBounds.headersMs
  server.maxHeadersCount = 0 // no line is dropped in silence; the number of bytes is bounded
  const room = new ConnectionRoom(serverBounds.connections)
  server.on('connection', (socket: Socket) => room.enter(socket))
  const answer: RequestListener = (request, response) => {
    room.hold(request, response)
    listener(request, response)
  }
  // There is no interim response to the last two, because nobody wants the body (RFC 9110, section 10.1.1).
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, answer)
  return server
}

/**
 * The open connections. When there is no more room, one that waits for its client is ended in favour of the new one: the oldest of those that have
 * never sent a whole request, or of those that are idle after one, whichever are more. So whoever holds thousands of connections open keeps nobody
 * else out.
 */
export class ConnectionRoom {
  readonly #limit: number
  readonly #open = new Set<Socket>()
  readonly #byPeer = new Map<string, Socket>()
  /** Those that have not sent a whole request yet, the oldest first. */
  readonly #silent = new Set<Socket>()
  /** Those whose last request is answered, the longest idle first. */
  readonly #idle = new Set<Socket>()

  constructor(limit: number) {
    this.#limit = limit
  }

  enter(socket: Socket): void {
    this.#open.add(socket)
    const peer = toPeer(socket)
    if (peer !== undefined) this.#byPeer.set(peer, socket)
    socket.once('close', () => {
      if (peer !== undefined) this.#byPeer.delete(peer)
      this.#leave(socket)
    })
    if (this.#open.size > this.#limit) this.#makeRoom(socket)
    if (!socket.destroyed) this.#silent.add(socket)
  }

  /** Keeps the connection of a whole request while that is answered. */
  hold(request: IncomingMessage, response: ServerResponse): void {
    const socket = this.#findConnection(request)
    if (!hasBody(request)) this.begin(socket)
    else
      request.once('end', () => {
        if (!response.closed) this.begin(socket)
      })
    response.on('close', () => this.rest(socket))
  }

  /** Names of other ends are only compared where the request does not know the connection itself: they are texts made for each request. */
  #findConnection({ socket }: IncomingMessage): Socket {
    return this.#open.has(socket) ? socket : (this.#byPeer.get(toPeer(socket) ?? '') ?? socket)
  }

  /** A whole request of the connection is being answered. */
  begin(socket: Socket): void {
    this.#silent.delete(socket)
    this.#idle.delete(socket)
  }

  /** The last request of the connection is answered. */
  rest(socket: Socket): void {
    this.#silent.delete(socket)
    if (!socket.destroyed) this.#idle.add(socket)
  }

  /** Ends the new connection itself where all others have a request that is being answered. */
  #makeRoom(socket: Socket): void {
    const [oldest = socket] = this.#silent.size > this.#idle.size ? this.#silent : this.#idle
    this.#leave(oldest)
    oldest.destroy()
  }

  #leave(socket: Socket): void {
    this.#open.delete(socket)
    this.#silent.delete(socket)
    this.#idle.delete(socket)
  }
}

/** The other end of a connection, as the library of gRPC names it too; `undefined` for a Unix socket. */
export function toPeer({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined ? undefined : `${remoteAddress}:${remotePort}`
}
