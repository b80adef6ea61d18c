import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { errorBody } from './error-envelope.ts'
import { errorTypes } from './refusal.ts'

type Fetch = Parameters<typeof getRequestListener>[0]

/**
 * A server that nobody can keep from its work. What is no HTTP ends the connection; a request without a usable target or
 * `Host`, which the web framework never gets to see, is answered with the error envelope.
 */
export function createHttpServer(fetch: Fetch, newRequestId: () => string): Server {
  const listener = getRequestListener(fetch, { errorHandler: () => refuseTarget(newRequestId()) })
  const server = createServer({ ...patience, requireHostHeader: false }, listener)
  // An expectation that nobody knows may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', listener)
  return server
}

/** Who sends slowly, or nothing, is not waited for. */
const patience = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 }

function refuseTarget(requestId: string): Response {
  return Response.json(errorBody(errorTypes[400], 'the request names no address that can be used', requestId), {
    status: 400,
    headers: { 'request-id': requestId, connection: 'close' },
  })
}
