import { parseConfirmation } from '../jwt/confirmation.ts'
import { describeTime, describeValue } from '../jwt/describe-value.ts'
import { findFailedCheck } from '../jwt/examine-jwt.ts'
import { claimChecks } from '../jwt/jwt-checks.ts'
import { toIdentity } from '../jwt/verify-jwt.ts'
import type { JwtTrust } from '../policy/policy.ts'
import { type Identity, TokenRefusal } from '../verdict.ts'

/** The facts with which an answer is compared. */
export interface ComparedFacts {
  /** The owner of the token, whose signature holds. */
  readonly identity: Identity
  readonly trust: Pick<JwtTrust, 'issuer' | 'audiences'>
  readonly clockSkewSec: number
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Why a token does not pass by what its provider says of it (RFC 7662, section 2.2); `undefined` if it passes. Every member but `active`
 * may be missing, and one that is there must not contradict the token: a provider that speaks of another token says nothing of this one.
 * Pure.
 * @param answer Its member `active` is true or false.
 */
export function validateProviderAnswer(answer: ProviderAnswer, facts: ComparedFacts): TokenRefusal | undefined {
  return (
    validateActive(answer) ??
    findContradiction(answer, facts) ??
    validateKind(answer, facts) ??
    validateAudience(answer, facts) ??
    validateTimes(answer, facts)
  )
}

/** Why a token does not pass that is not active; `undefined` for one that is. Pure. */
function validateActive({ active }: ProviderAnswer): TokenRefusal | undefined {
  return active ? undefined : new TokenRefusal('inactive', { note: 'the provider says that it is not active' })
}

/** The members of an answer, unchecked but for `active`. */
export type ProviderAnswer = Readonly<Record<string, unknown>> & { readonly active: boolean }

/** The members that name the token and its owner. */
function findContradiction(answer: ProviderAnswer, { identity, trust }: ComparedFacts): TokenRefusal | undefined {
  const { subject, claims } = identity
  const known = { iss: trust.issuer, sub: subject, jti: claims.jti, client_id: claims.client_id ?? claims.azp }
  for (const [name, value] of Object.entries(known)) {
    if (answer[name] === undefined || value === undefined || answer[name] === value) continue
    const note = `the provider answers for another token: ${name} is ${describeValue(answer[name])}`
    return new TokenRefusal('inactive', { note })
  }
  return undefined
}

/**
 * The values of `token_type` for tokens that a resource may accept: those of RFC 6749, section 7.1, and RFC 9449, section 7.1, the names of
 * RFC 8693, section 3, and what Glewlwyd says. A refresh token, for example, is active too.
 */
const acceptedTypes = [
  ...['bearer', 'dpop', 'access_token', 'at+jwt'],
  ...['access_token', 'jwt'].map((type) => `urn:ietf:params:oauth:token-type:${type}`),
]

/** The type of the token, and the certificate or key to which the provider has bound it (RFC 8705, section 3.2). */
function validateKind(answer: ProviderAnswer, { identity: { binding } }: ComparedFacts): TokenRefusal | undefined {
  const refusal = validateTokenType(answer, 'optional') ?? validateProofKey(answer, binding)
  if (refusal) return refusal
  const stated = parseConfirmation(answer)
  if (stated === undefined) return undefined
  if (stated !== 'unknown' && stated.certificate === binding?.certificate && stated.key === binding?.key)
    return undefined
  return new TokenRefusal('unknown-kind', { note: 'the provider says that it is bound in another way than it states' })
}

/** Why a resource may not accept a token of this type; `undefined` if it may. Pure. */
function validateTokenType(
  { token_type: type }: ProviderAnswer,
  presence: 'optional' | 'required',
): TokenRefusal | undefined {
  if (type === undefined && presence === 'optional') return undefined
  if (typeof type === 'string' && acceptedTypes.includes(type.toLowerCase())) return undefined
  const note =
    type === undefined
      ? 'the provider does not say its type'
      : `the provider says that its type is ${describeValue(type)}`
  return new TokenRefusal('unknown-kind', { note })
}

/** RFC 9449, section 6.2: an answer about a token that is bound to a key says to which, because without that it would pass as a bearer token. */
function validateProofKey(
  { token_type: type }: ProviderAnswer,
  binding: Identity['binding'],
): TokenRefusal | undefined {
  if (String(type).toLowerCase() !== 'dpop' || binding?.key !== undefined) return undefined
  return new TokenRefusal('unknown-kind', { note: 'the provider says that it is bound to a key, and not to which' })
}

function validateAudience({ aud }: ProviderAnswer, { trust }: ComparedFacts): TokenRefusal | undefined {
  if (aud === undefined) return undefined
  const stated: readonly unknown[] = [aud].flat()
  if (trust.audiences.some((audience) => stated.includes(audience))) return undefined
  return new TokenRefusal('audience', { note: `the provider says that its audience is ${describeValue(aud)}` })
}

function validateTimes({ exp, nbf }: ProviderAnswer, { now, clockSkewSec }: ComparedFacts): TokenRefusal | undefined {
  for (const [name, value] of Object.entries({ exp, nbf }))
    if (value !== undefined && !isTime(value))
      return new TokenRefusal('inactive', { note: `the provider gives no time as its ${name}` })
  if (isTime(exp) && toMs(exp) + clockSkewSec * 1000 <= now)
    return new TokenRefusal('expired', { note: `the provider says that it expired at ${describeTime(toMs(exp))}` })
  if (isTime(nbf) && toMs(nbf) - clockSkewSec * 1000 > now)
    return new TokenRefusal('not-yet-valid', {
      note: `the provider says that it is valid from ${describeTime(toMs(nbf))}`,
    })
  return undefined
}

/** When the token ends by the answer, with the tolerated difference of clocks: epoch milliseconds, infinite if it does not say; pure. */
export function computeProviderEnd(
  { exp }: ProviderAnswer,
  { clockSkewSec }: Pick<ComparedFacts, 'clockSkewSec'>,
): number {
  return isTime(exp) ? toMs(exp) + clockSkewSec * 1000 : Infinity
}

/** Seconds since 1970 that a date can hold (ECMA-262, section 21.4.1.1). */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 8.64e12
}

function toMs(sec: number): number {
  return sec * 1000
}

/** A token that is not a JWT, and its provider. */
interface OpaqueFacts extends Pick<ComparedFacts, 'clockSkewSec' | 'now'> {
  readonly token: string
  readonly trust: JwtTrust
}

/**
 * The owner of a token that is not a JWT, by what its provider says of it. The members of the answer (RFC 7662, section 2.2) are held against the
 * same checks as the claims of a JWT, so that the policy means the same for both: subject, audience and end have to be there. The type of the
 * token has to be there too, because some providers leave it out where somebody sends a refresh token. A member that repeats the token is
 * left out, because claims go into the audit and into headers. Pure.
 * @throws {TokenRefusal}
 */
export function toOpaqueIdentity(
  answer: ProviderAnswer | 'unknown',
  { token, trust, clockSkewSec, now }: OpaqueFacts,
): Identity {
  if (answer === 'unknown') throw new TokenRefusal('introspection-unavailable')
  const stated = Object.entries(answer).filter(([name, value]) => name !== 'active' && value !== token)
  const claims = { iss: trust.issuer, ...Object.fromEntries(stated) }
  const failed = validateActive(answer) ?? validateTokenType(answer, 'required')
  if (failed) throw failed
  if (claims.iss !== trust.issuer)
    throw new TokenRefusal('issuer', { note: 'the provider answers that another issuer has issued the token' })
  const jwt = { header: {}, claims, signingInput: '', signature: Buffer.alloc(0) }
  const facts = { jwt, trust, now, clockSkewSec }
  const check = findFailedCheck(claimChecks, facts)
  if (check) {
    const note = `the provider says of the token: ${check.note}`
    throw new TokenRefusal(check.outcome === 'fail' ? check.reason : 'audience', { note })
  }
  const { useKey: _, ...identity } = toIdentity(facts)
  const unbound = validateProofKey(answer, identity.binding)
  if (unbound) throw unbound
  return { ...identity, kind: 'opaque', ...toOpaqueUse(claims.iss, answer) }
}

/**
 * A provider may know a token by several texts, such as with padding and without, so that its own name of it counts for a single use, also where
 * that is one of these texts.
 */
function toOpaqueUse(iss: string, { jti }: ProviderAnswer): Pick<Identity, 'useKey'> {
  return typeof jti === 'string' ? { useKey: JSON.stringify([iss, jti]) } : {}
}
