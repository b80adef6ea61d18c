import { HelperError } from '../../../runtime/failure.ts'
import { readBounded } from '../../../runtime/network/fetch/bounded-body.ts'
import type { Fetch } from '../../../runtime/network/fetch/network-fetch.ts'
import { isLoopback } from '../../../runtime/network/loopback.ts'
import { parseObject } from '../../../runtime/parse-object.ts'
import { keyBounds } from './key-bounds.ts'

/** {@link fetchJson}, within one limit. */
export type FetchJson = (url: URL) => Promise<Readonly<Record<string, unknown>>>

const hint = 'look at what the issuer answers there'

/**
 * Fetches a JSON object. Its content type is not looked at: many issuers serve their keys from file stores that know none.
 * @throws {HelperError} `unavailable` for another status than 200, such as a redirect, which is not followed; for what is no JSON object,
 * has no end or comes too late.
 */
export async function fetchJson(url: URL, fetch: Fetch, limit: AbortSignal): ReturnType<FetchJson> {
  refuseInsecure(url)
  // Said too, although ours never follows a redirect: that of Node, which a library's user may give, does.
  const init = { headers: { accept: 'application/json' }, redirect: 'manual', signal: limit } as const
  const response = await endAt(limit, url, fetch(url.href, init))
  const { status } = response
  if (status !== 200) {
    await response.body?.cancel()
    throw new StatusError(url, status)
  }
  const bound = { bytes: keyBounds.bytes, sec: keyBounds.answerMs / 1000, hint }
  const body = await endAt(limit, url, readBounded(response, url.host, bound))
  const value = parseObject(body.toString('utf8'))
  if (!value) throw new HelperError('unavailable', `${url.host} answered with no JSON object at ${url.pathname}`, hint)
  return value
}

/** An answer with another status than 200. */
export class StatusError extends HelperError {
  constructor(url: URL, status: number) {
    super('unavailable', `${url.host} answered HTTP ${status} at ${url.pathname}`, hint)
  }
}

/** @throws {HelperError} `not-configured` for an address that anybody on the way could answer for. */
function refuseInsecure({ protocol, hostname }: URL): void {
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return
  throw new HelperError('not-configured', `keys are not fetched from ${hostname} over ${protocol}`, 'use https')
}

/** The signal ends a request that listens to it; this ends the wait for any. */
async function endAt<T>(limit: AbortSignal, { host }: URL, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const giveUp = () =>
    reject(new HelperError('unavailable', `${host} gave no answer within ${keyBounds.answerMs / 1000} s`, hint))
  limit.addEventListener('abort', giveUp, { once: true })
  if (limit.aborted) giveUp()
  try {
    return await Promise.race([promise, work])
  } finally {
    limit.removeEventListener('abort', giveUp)
  }
}
