import type { MiddlewareHandler } from 'hono'
import { isLoopback } from '../../runtime/network/loopback.ts'
import { createErrorBody } from './error-envelope.ts'

/**
 * Refuses requests of web pages, every one of which can reach loopback: by a request from another origin, which carries
 * `Origin`, or by DNS rebinding, where a foreign name resolves to 127.0.0.1 and is in `Host`.
 */
export const refuseBrowsers: MiddlewareHandler = async (c, next) => {
  const [, host = ''] = /^(.*?)(?::\d+)?$/.exec(c.req.header('host') ?? '') ?? []
  if (isLoopback(host) && c.req.header('origin') === undefined) return next()
  return c.json(
    createErrorBody('permission_error', 'this gateway answers programs on its own machine only', c.get('requestId')),
    403,
  )
}
