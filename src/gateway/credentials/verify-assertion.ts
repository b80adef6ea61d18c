// Verifies the identity token in an exchange.

import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { refusalReasons } from '../../contract/refusal-reasons.ts'
import { signatureAlgorithmNames } from '../../contract/signature-algorithms.ts'
import { HelperError } from '../../runtime/failure.ts'
import { readBounded } from '../../runtime/network/bounded-body.ts'
import { type FederationRule, findUnmetClaim, type Issuer } from './federation-rules.ts'

/** The tolerated difference between the clocks of issuer and platform, in seconds. Our decision. */
export const clockSkewSec = 30

/** How long an issuer may take to answer with its keys, in seconds. Our decision. */
export const keysTimeoutSec = 5

/** The claims of a verified identity token. */
export type AssertionClaims = JWTPayload & { readonly exp: number }

/** Verifies the signature, issuer, audience and times of an identity token, and the conditions of the rule. */
export async function verifyAssertion(assertion: string, context: AssertionContext): Promise<AssertionVerdict> {
  const { issuer, rule, keys, now } = context
  try {
    const { payload } = await jwtVerify(assertion, keys, {
      issuer: issuer.issuer,
      audience: rule.conditions.audience,
      algorithms: [...signatureAlgorithmNames],
      clockTolerance: clockSkewSec,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'sub'],
    })
    return validatePayload(payload, context)
  } catch (thrown) {
    return { ok: false, reason: describeError(thrown) }
  }
}

/** Validates what the library does not: that the token is not from the future, and the conditions of the rule. */
function validatePayload(payload: JWTPayload, { rule, now }: Pick<AssertionContext, 'rule' | 'now'>): AssertionVerdict {
  const { exp = 0, iat } = payload
  if (iat !== undefined && iat > now / 1000 + clockSkewSec) return { ok: false, reason: 'claim iat: in the future' }
  const unmet = findUnmetClaim(rule.conditions, payload)
  return unmet === undefined
    ? { ok: true, payload: { ...payload, exp } }
    : { ok: false, reason: `claim ${unmet}: does not match the rule` }
}

type AssertionVerdict =
  | { readonly ok: true; readonly payload: AssertionClaims }
  /** The reason is for the gateway's own record; the caller learns only `invalid_grant`. */
  | { readonly ok: false; readonly reason: string }

interface AssertionContext {
  readonly issuer: Issuer
  readonly rule: FederationRule
  readonly keys: JWTVerifyGetKey
  /** Epoch milliseconds. */
  readonly now: number
}

function describeError(thrown: unknown): string {
  if (thrown instanceof errors.JWTExpired || thrown instanceof errors.JWTClaimValidationFailed)
    return `claim ${thrown.claim}: ${thrown.reason === 'missing' ? 'missing' : 'does not hold'}`
  if (thrown instanceof errors.JOSEError) return thrown.code
  const unreachable = refusalReasons['keys-unavailable'].summary
  return thrown instanceof HelperError ? `${unreachable}: ${thrown.message}` : unreachable
}

/**
 * Finds the keys of issuers. `jose` caches fetched keys for ten minutes (its option `cacheMaxAge`); a token with an unknown key triggers
 * another fetch at once, because the issuer may have rotated its keys. A real platform would have to limit the rate of these fetches.
 */
export function createKeyFinder(fetch: FetchImplementation): (issuer: Issuer) => JWTVerifyGetKey {
  const remote = new Map<string, JWTVerifyGetKey>()
  return ({ keys }) => {
    if ('inline' in keys) return createLocalJWKSet(keys.inline)
    const known = remote.get(keys.url)
    if (known) return known
    const options = {
      [customFetch]: restrictKeySets(fetch),
      cooldownDuration: 0,
      timeoutDuration: keysTimeoutSec * 1000,
    }
    const created = createRemoteJWKSet(new URL(keys.url), options)
    remote.set(keys.url, created)
    return created
  }
}

/** The longest answer with keys, in bytes: far longer than any key set. */
const longestKeysBytes = 1024 * 1024

/** Limits the length of a key set, because it is read into memory. */
function restrictKeySets(fetch: FetchImplementation): FetchImplementation {
  return async (url, init) => {
    const response = await fetch(url, init)
    const bound = { bytes: longestKeysBytes, sec: keysTimeoutSec, hint: 'check where the issuer keeps its keys' }
    const { status, headers } = response
    return new Response(await readBounded(response, new URL(url).host, bound), { status, headers })
  }
}
