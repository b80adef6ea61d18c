// Fetches the keys of all issuers of a policy; `key-ring.ts` keeps those of one.

import { metadataPaths } from '../../contract/oauth-names.ts'
import { HelperError } from '../../runtime/failure.ts'
import { isLoopback, isSecureAddress } from '../../runtime/network/addresses.ts'
import { readBounded } from '../../runtime/network/bounded-body.ts'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { waitUntilAborted } from '../../runtime/wait-at-most.ts'
import type { JwtTrust } from '../policy/policy.ts'
import { describeValue } from './describe-value.ts'
import type { KeyFinder, KeySet } from './key-finder.ts'
import { createKeyRing, type KeyRing, keyBounds } from './key-ring.ts'
import { parseKeySet } from './parse-key-set.ts'
import { parseUniqueObject, toNoObjectFailure } from './unique-object.ts'

export function createIssuerKeys({ fetch, now }: IssuerKeysParts): KeyFinder {
  const rings = new Map<string, KeyRing>()
  const ensureRing = (trust: JwtTrust) => {
    const id = toId(trust)
    const ring = rings.get(id) ?? createKeyRing({ issuer: trust.issuer, load: () => fetchKeySet(trust, fetch), now })
    rings.set(id, ring)
    return ring
  }
  return {
    find: (trust, header) => ensureRing(trust).find(header),
    renew: (trust) => ensureRing(trust).renew(),
    async prepare(trusts) {
      const ids = new Set(trusts.map(toId))
      for (const id of rings.keys()) if (!ids.has(id)) rings.delete(id)
      await Promise.all(trusts.map((trust) => ensureRing(trust).prepare()))
    },
    states: () => [...rings.values()].map((ring) => ring.state()),
  }
}

/** The parts that {@link createIssuerKeys} needs. */
interface IssuerKeysParts {
  /** The function must follow no redirect, like that of `createStreamFetch`. */
  readonly fetch: Fetch
  /** Epoch milliseconds. */
  readonly now: () => number
}

const knownIds = new WeakMap<JwtTrust, string>()

/** Returns the same text for trusts with the same keys, so that cached keys outlive a change of the policy. */
function toId(trust: JwtTrust): string {
  const id = knownIds.get(trust) ?? JSON.stringify([trust.issuer, trust.keys])
  knownIds.set(trust, id)
  return id
}

/**
 * Fetches the keys of an issuer within {@link keyBounds}.
 * @throws {HelperError} for anything but a good answer; the message is for the operator.
 */
export async function fetchKeySet({ issuer, keys }: JwtTrust, fetch: Fetch): Promise<KeySet> {
  if (keys !== 'discovered' && 'inline' in keys) return requireKeys('the policy', keys.inline)
  const limit = AbortSignal.timeout(keyBounds.answerMs)
  const fetchDocument: FetchJson = (url) => fetchJson(url, fetch, limit)
  const url = keys === 'discovered' ? await fetchKeysUrl(issuer, fetchDocument) : new URL(keys.url)
  return requireKeys(url.host, await fetchDocument(url))
}

function requireKeys(where: string, value: unknown): KeySet {
  const set = parseKeySet(value)
  if ('keys' in set) return set
  throw new HelperError('unavailable', `${where} ${set.problem}`, 'look at the keys that the issuer publishes')
}

/**
 * Fetches a JSON object. Its content type does not matter: many issuers serve their keys from file stores that set none.
 * @throws {HelperError} `unavailable` for another status than 200, such as a redirect, which is not followed; for a body that is not a
 * JSON object, is too long or comes too late.
 */
async function fetchJson(url: URL, fetch: Fetch, limit: AbortSignal): ReturnType<FetchJson> {
  refuseInsecure(url)
  const toLateFailure = () =>
    new HelperError('unavailable', `${url.host} gave no answer within ${keyBounds.answerMs / 1000} s`, hint)
  // Our own fetch follows no redirect, but a user of the library may pass that of Node, which does.
  const init = { headers: { accept: 'application/json' }, redirect: 'manual', signal: limit } as const
  const response = await waitUntilAborted(limit, fetch(url.href, init), toLateFailure)
  const { status } = response
  if (status !== 200) {
    await response.body?.cancel()
    throw new StatusError(url, status)
  }
  const bound = { bytes: keyBounds.bytes, sec: keyBounds.answerMs / 1000, hint }
  const body = await waitUntilAborted(limit, readBounded(response, url.host, bound), toLateFailure)
  const value = parseUniqueObject(body.toString('utf8'))
  if (!value) throw toNoObjectFailure(url, hint)
  return value
}

/** An answer with another status than 200. */
class StatusError extends HelperError {
  constructor(url: URL, status: number) {
    super('unavailable', `${url.host} answered HTTP ${status} at ${url.pathname}`, hint)
  }
}

/**
 * Fetches the address of an issuer's keys from OpenID Connect Discovery 1.0, section 4, or if there is no such document, from RFC 8414,
 * section 3.
 * @throws {HelperError} if the issuer states no usable address.
 */
async function fetchKeysUrl(issuer: string, fetchDocument: FetchJson): Promise<URL> {
  const metadata = await fetchMetadata(requireUrl(issuer, 'the issuer'), fetchDocument)
  // Compared exactly: otherwise a server could serve the metadata of another issuer (OpenID Connect Discovery 1.0, section 4.3).
  if (metadata.issuer !== issuer)
    throw toFailure(`the document at ${issuer} is for another issuer: ${describeValue(metadata.issuer)}`)
  const url = requireUrl(metadata.jwks_uri, `the jwks_uri of ${issuer}`)
  // An issuer on another machine must not cause requests to this machine.
  if (isLoopback(url.hostname) && !isLoopback(new URL(issuer).hostname))
    throw toFailure(`the jwks_uri of ${issuer} is on this machine`)
  return url
}

async function fetchMetadata(issuer: URL, fetchDocument: FetchJson) {
  const path = issuer.pathname.replace(/\/$/, '')
  try {
    return await fetchDocument(withPath(issuer, `${path}${metadataPaths.openid}`))
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown
    return await fetchDocument(withPath(issuer, `${metadataPaths.oauth}${path}`))
  }
}

/** The path is assigned and not resolved, because a path that begins with two slashes would name another host. */
function withPath(issuer: URL, path: string): URL {
  const url = new URL(issuer.origin)
  url.pathname = path
  return url
}

function requireUrl(text: unknown, what: string): URL {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (!url) throw toFailure(`${what} is not a URL`)
  return url
}

function toFailure(message: string): HelperError {
  return new HelperError(
    'unavailable',
    message,
    'name the address of the keys in the policy, or report this to whoever runs the issuer',
  )
}

const hint = 'look at what the issuer answers there'

/** {@link fetchJson} within one time limit. */
type FetchJson = (url: URL) => Promise<Readonly<Record<string, unknown>>>

/** @throws {HelperError} `not-configured` for plain http, except on this machine. */
function refuseInsecure(url: URL): void {
  if (isSecureAddress(url)) return
  throw new HelperError('not-configured', `keys are not fetched from ${url.hostname} over ${url.protocol}`, 'use https')
}
