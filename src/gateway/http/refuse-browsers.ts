import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { createErrorBody, errorTypes } from '../../contract/error-envelope.ts'
import { isLoopback } from '../../runtime/network/loopback.ts'

/**
 * Refuses requests of web pages, every one of which can reach loopback: by a request from another origin, which carries
 * `Origin`, or by DNS rebinding, where a foreign name resolves to 127.0.0.1 and is in `Host`.
 */
export const refuseBrowsers: MiddlewareHandler = async (c, next) => {
  const [, host = ''] = /^(.*?)(?::\d+)?$/.exec(c.req.header('host') ?? '') ?? []
  if (isLoopback(host) && c.req.header('origin') === undefined) return next()
  const requestId = c.get('requestId') ?? `req_${randomUUID()}` // not every gateway gives its requests an id
  return c.json(
    createErrorBody(errorTypes[403], 'this gateway answers programs on its own machine only', requestId),
    403,
  )
}
