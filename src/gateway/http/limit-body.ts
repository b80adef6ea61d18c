import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { PlatformEnv } from './platform-env.ts'
import { largestBody } from './read-body.ts'
import { Refusal } from './refusal.ts'

/** Answers 413 to a body that is too large. */
export const limitBody: MiddlewareHandler<PlatformEnv> = (c, next) => {
  const length = c.req.header('content-length')
  // HTTP lets no more through than was announced, so only a body of unknown length is counted, at the price of a copy.
  if (length === undefined) return countBody(c, next)
  return Number(length) > largestBody ? refuse() : next()
}

const countBody = bodyLimit({ maxSize: largestBody, onError: refuse })

function refuse(): never {
  // What is left of the body is not read, so the connection cannot be used again.
  throw new Refusal(413, `the body is larger than ${largestBody} bytes`, { headers: { connection: 'close' } })
}
