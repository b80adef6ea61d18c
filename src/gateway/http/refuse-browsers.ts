import type { MiddlewareHandler } from 'hono'
import { errorBody } from './error-envelope.ts'

/**
 * Loopback is within reach of every web page that the person opens: by a request of its own, which carries `Origin`, or
 * by a name of its own that resolves to 127.0.0.1, which then stands in `Host`.
 */
export const refuseBrowsers: MiddlewareHandler = async (c, next) => {
  const isLoopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(c.req.header('host') ?? '')
  if (isLoopback && c.req.header('origin') === undefined) return next()
  return c.json(
    errorBody('permission_error', 'this gateway answers programs on its own machine only', c.get('requestId')),
    403,
  )
}
