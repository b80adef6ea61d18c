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
import { HelperError } from '../../runtime/failure.ts'
import { findUnmetClaim } from './rule-conditions.ts'
import type { Issuer, Rule } from './trust.ts'

/** By how much clocks may differ. */
export const clockSkewSec = 30

/** How long an issuer may take to hand out its keys. */
export const keysTimeoutSec = 5

/** Signatures with a public key only: with a shared one, whoever verifies could also sign. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

export type AssertionVerdict =
  | { readonly ok: true; readonly payload: JWTPayload & { readonly exp: number } }
  /** For the gateway's own record; the caller is told `invalid_grant` and nothing else. */
  | { readonly ok: false; readonly reason: string }

export interface AssertionContext {
  readonly issuer: Issuer
  readonly rule: Rule
  readonly keys: JWTVerifyGetKey
  /** Epoch milliseconds. */
  readonly now: number
}

/** Judges an identity token: signature, issuer, audience, times, and the conditions of the rule. */
export async function verifyAssertion(assertion: string, context: AssertionContext): Promise<AssertionVerdict> {
  const { issuer, rule, keys, now } = context
  try {
    const { payload } = await jwtVerify(assertion, keys, {
      issuer: issuer.issuer,
      audience: rule.conditions.audience,
      algorithms,
      clockTolerance: clockSkewSec,
      currentDate: new Date(now),
      requiredClaims: ['exp', 'sub'],
    })
    const { exp = 0, iat } = payload
    if (iat !== undefined && iat > now / 1000 + clockSkewSec) return { ok: false, reason: 'claim iat: in the future' }
    const unmet = findUnmetClaim(rule.conditions, payload)
    return unmet === undefined
      ? { ok: true, payload: { ...payload, exp } }
      : { ok: false, reason: `claim ${unmet}: the rule asks for another` }
  } catch (thrown) {
    return { ok: false, reason: reasonOf(thrown) }
  }
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof errors.JWTExpired || thrown instanceof errors.JWTClaimValidationFailed)
    return `claim ${thrown.claim}: ${thrown.reason === 'missing' ? 'missing' : 'does not hold'}`
  if (thrown instanceof errors.JOSEError) return thrown.code
  const unreachable = 'the keys of the issuer cannot be fetched'
  return thrown instanceof HelperError ? `${unreachable}: ${thrown.message}` : unreachable
}

/**
 * Finds the keys of issuers. Fetched ones are kept for ten minutes; a token with a key that is not among them has them
 * fetched anew at once, because an issuer may just have rotated. A real platform would have to wait between two fetches.
 */
export function createKeyFinder(fetch: FetchImplementation): (issuer: Issuer) => JWTVerifyGetKey {
  const remote = new Map<string, JWTVerifyGetKey>()
  return ({ keys }) => {
    if ('inline' in keys) return createLocalJWKSet(keys.inline)
    const known = remote.get(keys.url)
    if (known) return known
    const options = { [customFetch]: fetch, cooldownDuration: 0, timeoutDuration: keysTimeoutSec * 1000 }
    const created = createRemoteJWKSet(new URL(keys.url), options)
    remote.set(keys.url, created)
    return created
  }
}
