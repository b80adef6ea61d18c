import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createErrorBody, errorTypes } from '../../contract/http-api.ts'
import { HelperError } from '../../runtime/failure.ts'
import { closeServer, toPort } from '../../runtime/network/local-server.ts'

/**
 * Creates a server that slow or malformed requests do not block. A connection that does not speak HTTP is closed. A request without a
 * usable target or `Host` gets the error envelope here, because it does not reach the web framework.
 */
export function createHttpServer(fetch: AnswerFetch, createId: () => string): Server {
  const listener = getRequestListener(fetch, { errorHandler: () => rejectTarget(createId()) })
  const server = createServer({ ...timeouts, requireHostHeader: false }, listener)
  // An unknown expectation may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', listener)
  return server
}

type AnswerFetch = Parameters<typeof getRequestListener>[0]

/** In milliseconds: how long a client may take to send its request. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 }

function rejectTarget(requestId: string): Response {
  return Response.json(createErrorBody(errorTypes[400], 'the target of the request cannot be used', requestId), {
    status: 400,
    headers: { 'request-id': requestId, connection: 'close' },
  })
}

/**
 * Starts to listen on 127.0.0.1, and nowhere else.
 * @param port 0 for any free port.
 * @throws {HelperError} `refused` for a port that cannot be used.
 */
export async function startListening(server: Server, port: number): Promise<{ url: string; close(): Promise<void> }> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', ({ code }: NodeJS.ErrnoException) =>
    reject(
      new HelperError('refused', `port ${port} cannot be used (${code})`, 'name another with --port, or 0 for any'),
    ),
  )
  server.listen(port, '127.0.0.1', resolve)
  await promise
  return { url: `http://127.0.0.1:${toPort(server)}`, close: () => closeServer(server) }
}
