import { createServer, type RequestListener, type Server } from 'node:http'

/** The bounds of a listener; times in milliseconds. */
export const serverBounds = {
  /** Of all headers of a request together; beyond it the answer is 431. */
  headerBytes: 64 * 1024,
  /** How long a gateway may take to send its headers, and the whole request. */
  headersMs: 10_000,
  requestMs: 15_000,
  /** How long an idle connection is kept. nginx keeps its own for 60 s: whoever ends it first must not be the verifier. */
  idleMs: 75_000,
  connections: 4_096,
} as const

/** A server that slow, large or malformed requests do not block. */
export function createBoundedServer(listener: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: serverBounds.headerBytes,
      requestTimeout: serverBounds.requestMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: serverBounds.idleMs,
      requireHostHeader: false,
      noDelay: true,
    },
    listener,
  )
  server.headersTimeout = serverBounds.headersMs
  server.maxHeadersCount = 0 // no line is dropped in silence; the number of bytes is bounded
  server.maxConnections = serverBounds.connections
  // Neither is answered by an interim response: nobody wants the body (RFC 9110, section 10.1.1).
  server.on('checkContinue', listener)
  server.on('checkExpectation', listener)
  return server
}
