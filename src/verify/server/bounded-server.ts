import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { hasBody } from './verifier-listener.ts'

/** The bounds of a listener; times in milliseconds. */
export const serverBounds = {
  /** The size of all headers of a request together; a larger request is answered with 431. */
  headerBytes: 64 * 1024,
  /** How long a gateway may take to send the headers, and to send the whole request. */
  headersMs: 10_000,
  requestMs: 15_000,
  /**
   * How long an idle connection is kept: longer than the 60 s of nginx (`keepalive_timeout`), because the verifier must not be the first to
   * close it.
   */
  idleMs: 75_000,
  connections: 4_096,
} as const

/**
 * Creates a server that slow, large or malformed requests do not block.
 * @param tls The options for a server with TLS.
 */
export function createBoundedServer(listener: RequestListener, tls?: TlsOptions): Server {
  const options = {
    maxHeaderSize: serverBounds.headerBytes,
    requestTimeout: serverBounds.requestMs,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: serverBounds.idleMs,
    requireHostHeader: false,
    noDelay: true,
    optimizeEmptyRequests: true, // a request without a body needs no end event
  }
  const server = tls ? createSecureServer({ ...options, ...tls }) : createServer(options)
  server.headersTimeout = serverBounds.headersMs
  server.maxHeadersCount = 0 // unlimited: Node drops further lines silently, and the bytes are bounded anyway
  const room = new ConnectionRoom(serverBounds.connections)
  server.on('connection', (socket: Socket) => room.enter(socket))
  const answer: RequestListener = (request, response) => {
    room.hold(request, response)
    listener(request, response)
  }
  // The last two get no interim response, because the body is not needed (RFC 9110, section 10.1.1).
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, answer)
  return server
}

/**
 * The open connections. If there are too many, an idle one is closed in favour of the new one: the oldest of those that have never sent a
 * whole request, or of those that are idle after one, whichever are more. A client that holds thousands of connections open so cannot lock
 * out others.
 */
export class ConnectionRoom {
  readonly #limit: number
  readonly #open = new Map<Socket, Connection>()
  readonly #byPeer = new Map<string, Socket>()
  /** The connections that have not sent a whole request yet, oldest first. */
  readonly #silent = new ConnectionQueue()
  /** The connections whose last request was answered, longest idle first. */
  readonly #idle = new ConnectionQueue()

  constructor(limit: number) {
    this.#limit = limit
  }

  enter(socket: Socket): void {
    const connection: Connection = { socket, queue: undefined, before: undefined, after: undefined }
    this.#open.set(socket, connection)
    const peer = toPeer(socket)
    if (peer !== undefined) this.#byPeer.set(peer, socket)
    socket.once('close', () => {
      if (peer !== undefined) this.#byPeer.delete(peer)
      this.#leave(connection)
    })
    if (this.#open.size > this.#limit) this.#endOldest(connection)
    if (!socket.destroyed) this.#silent.append(connection)
  }

  /** Marks the connection of a whole request as busy until the request is answered. */
  hold(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#findConnection(request)
    if (!connection) return
    if (!hasBody(request)) removeFromQueue(connection)
    else
      request.once('end', () => {
        if (!response.closed) removeFromQueue(connection)
      })
    response.on('close', () => this.#rest(connection))
  }

  /** Compares the names of the other ends only if the request does not hold its connection: the names are new strings for each request. */
  #findConnection({ socket }: IncomingMessage): Connection | undefined {
    return this.#open.get(socket) ?? this.#open.get(this.#byPeer.get(toPeer(socket) ?? '') ?? socket)
  }

  /** Marks a connection whose request is being answered. */
  begin(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection) removeFromQueue(connection)
  }

  /** Marks a connection whose last request was answered. */
  rest(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection) this.#rest(connection)
  }

  #rest(connection: Connection): void {
    removeFromQueue(connection)
    if (!connection.socket.destroyed) this.#idle.append(connection)
  }

  /** Closes the new connection itself if all others have a request that is being answered. */
  #endOldest(newest: Connection): void {
    const oldest = (this.#silent.size > this.#idle.size ? this.#silent : this.#idle).first ?? newest
    this.#leave(oldest)
    oldest.socket.destroy()
  }

  #leave(connection: Connection): void {
    this.#open.delete(connection.socket)
    removeFromQueue(connection)
  }
}

/** A connection, and its position in a queue while it is idle. */
interface Connection {
  readonly socket: Socket
  queue: ConnectionQueue | undefined
  before: Connection | undefined
  after: Connection | undefined
}

/**
 * Connections in the order in which they became idle, as a linked list. A `Set` keeps that order too, but after some changes it allocates a
 * new table, and each old table points to the next: V8 promoted all of them to the old generation. At 28,000 requests a second they took
 * half of the collector's work, in pauses of 20 ms.
 */
class ConnectionQueue {
  first: Connection | undefined
  last: Connection | undefined
  size = 0

  append(connection: Connection): void {
    connection.queue = this
    connection.before = this.last
    if (this.last) this.last.after = connection
    else this.first = connection
    this.last = connection
    this.size += 1
  }
}

function removeFromQueue(connection: Connection): void {
  const { queue, before, after } = connection
  if (!queue) return
  if (before) before.after = after
  else queue.first = after
  if (after) after.before = before
  else queue.last = before
  queue.size -= 1
  connection.queue = connection.before = connection.after = undefined
}

/** Names the other end of a connection in the notation of the gRPC library; `undefined` for a Unix socket. */
export function toPeer({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined ? undefined : `${remoteAddress}:${remotePort}`
}
