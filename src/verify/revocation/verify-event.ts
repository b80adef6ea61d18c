import { checkSignature } from '../jwt/check-signature.ts'
import { runChecks, toFacts } from '../jwt/examine-jwt.ts'
import { claimChecks, headerChecks, type JwtCheck } from '../jwt/jwt-checks.ts'
import type { KeyFinder } from '../jwt/key-finder.ts'
import { parseSignedJwt } from '../jwt/parse-signed-jwt.ts'
import type { JwtTrust, Policy } from '../policy/policy.ts'
import { TokenRefusal } from '../verdict.ts'
import { type EventForm, parseEvent } from './parse-event.ts'
import type { Revocation } from './revocation.ts'

interface EventContext {
  readonly policy: Pick<Policy, 'jwt' | 'clockSkewSec'>
  readonly keys: KeyFinder
  /** Epoch milliseconds. */
  readonly now: number
}

/** The life of tokens whose issuer has no bound in the policy, in seconds. Our decision. */
const assumedLifeSec = 31 * 24 * 3600

/**
 * Verifies an event of a provider like every other token: its form, issuer, type, algorithm, key, signature, audience and times.
 * @returns The tokens that it ends; none if it is about something else.
 * @throws {TokenRefusal}
 */
export async function verifyEvent(
  form: EventForm,
  token: string,
  { policy, keys, now }: EventContext,
): Promise<{ issuer: string; revocations: readonly Revocation[] }> {
  const jwt = parseSignedJwt(token)
  if ('problem' in jwt) throw new TokenRefusal('malformed', { note: jwt.problem })
  const hasType = 'typ' in jwt.header
  const trusts = policy.jwt.flatMap((trust) => toEventTrust(trust, hasType ? types[form] : untyped[form]))
  const facts = toFacts(jwt, { trusts, keys, now, clockSkewSec: policy.clockSkewSec })
  refuseFirst(runChecks(headerChecks, facts))
  refuseFirst(await checkSignature(jwt, { trust: facts.trust, keys }))
  const { audience, 'not before': notBefore, 'issued at': issuedAt, expiry } = claimChecks
  refuseFirst(runChecks({ audience, 'not before': notBefore, 'issued at': issuedAt }, facts))
  if ('exp' in jwt.claims) refuseFirst(runChecks({ expiry }, facts))
  const longestLifeSec = facts.trust?.longestLifeSec ?? assumedLifeSec
  const parsed = parseEvent(form, { claims: jwt.claims, longestLifeSec })
  if ('problem' in parsed) throw new TokenRefusal('malformed', { note: parsed.problem })
  return { issuer: String(jwt.claims.iss), revocations: parsed.revocations }
}

/** The values of `typ`. Logout tokens of older providers have `JWT` or none; no access token looks like one, which lacks `events`. */
const types = { 'logout token': ['logout+jwt', 'JWT'], 'security event': ['secevent+jwt'] } as const
const untyped = { 'logout token': undefined, 'security event': types['security event'] } as const

/** Issuers of whom the policy names no audience for events tell nothing. */
function toEventTrust(trust: JwtTrust, accepted: readonly string[] | undefined): JwtTrust[] {
  const { eventAudiences: audiences, types: _, ...rest } = trust
  return audiences ? [{ ...rest, audiences, ...(accepted && { types: accepted }) }] : []
}

function refuseFirst(checks: readonly JwtCheck[]): void {
  const failed = checks.find(({ outcome }) => outcome !== 'pass')
  if (!failed) return
  throw new TokenRefusal(failed.outcome === 'fail' ? failed.reason : 'malformed', { note: failed.note })
}
