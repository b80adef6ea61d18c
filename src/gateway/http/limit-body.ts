import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { PlatformEnv } from './platform-env.ts'
import { Refusal } from './refusal.ts'

/** Answers 413 to a body of more than `largest` bytes. */
export function createBodyLimit(largest: number): MiddlewareHandler<PlatformEnv> {
  const refuse = (): never => {
    // The rest of the body is not read, so the connection cannot be used for another request.
    throw new Refusal(413, `the body is larger than ${largest} bytes`, { headers: { connection: 'close' } })
  }
  const countBody = bodyLimit({ maxSize: largest, onError: refuse })
  return (c, next) => {
    const length = c.req.header('content-length')
    // A request with neither of these headers has no body (RFC 9112, section 6.3).
    if (length === undefined && c.req.header('transfer-encoding') === undefined) return next()
    // HTTP ends a body at its stated length, so only a body without one is counted, which costs a copy.
    if (length === undefined) return countBody(c, next)
    return Number(length) > largest ? refuse() : next()
  }
}
