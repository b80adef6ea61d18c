import { tokenTypePrefix } from '../../contract/oauth-names.ts'
import { parseConfirmation } from '../jwt/confirmation.ts'
import { describeTime, describeValue } from '../jwt/describe-value.ts'
import { findFailedCheck } from '../jwt/examine-jwt.ts'
import { claimChecks } from '../jwt/jwt-checks.ts'
import { toIdentity } from '../jwt/verify-jwt.ts'
import type { JwtTrust, Policy } from '../policy/policy.ts'
import { type Identity, TokenRefusal } from '../verdict.ts'

/**
 * Finds why a provider's answer refuses a token (RFC 7662, section 2.2); `undefined` if the token passes. Every member except `active` may
 * be missing, but a member that is present must not contradict the token: such an answer is about another token. Pure.
 * @param answer Its member `active` is a boolean.
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

/** The facts that are compared with an answer. */
interface ComparedFacts extends Pick<Policy, 'clockSkewSec'> {
  /** The owner of the token, whose signature is valid. */
  readonly identity: Identity
  readonly trust: Pick<JwtTrust, 'issuer' | 'audiences'>
  /** Epoch milliseconds. */
  readonly now: number
}

/** Returns the refusal of an inactive token; `undefined` for an active one. Pure. */
function validateActive({ active }: ProviderAnswer): TokenRefusal | undefined {
  return active ? undefined : new TokenRefusal('inactive', { note: 'the provider says that it is not active' })
}

/** The members of an answer; only `active` is checked. */
export type ProviderAnswer = Readonly<Record<string, unknown>> & { readonly active: boolean }

/** Compares the members that name the token and its owner. */
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
 * RFC 8693, section 3, and the value of Glewlwyd. Other types, such as refresh tokens, can be active too.
 */
const acceptedTypes = [
  ...['bearer', 'dpop', 'access_token', 'at+jwt'],
  ...['access_token', 'jwt'].map((type) => `${tokenTypePrefix}${type}`),
]

/** Checks the type of the token, and the certificate or key to which the provider has bound it (RFC 8705, section 3.2). */
function validateKind(answer: ProviderAnswer, { identity: { binding } }: ComparedFacts): TokenRefusal | undefined {
  const refusal = validateTokenType(answer, 'optional') ?? validateProofKey(answer, binding)
  if (refusal) return refusal
  const stated = parseConfirmation(answer)
  if (stated === undefined) return undefined
  if (stated !== 'unknown' && stated.certificate === binding?.certificate && stated.key === binding?.key)
    return undefined
  return new TokenRefusal('unknown-kind', { note: 'the provider says that it is bound in another way than it states' })
}

/** Finds why a resource may not accept a token of this type; `undefined` if it may. Pure. */
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

/**
 * An answer of the type DPoP must name the key to which the token is bound (RFC 9449, section 6.2); otherwise the token would pass as a
 * bearer token.
 */
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

/**
 * Computes when the token expires by the answer, plus the tolerated difference of clocks: epoch milliseconds, infinite without `exp`; pure.
 */
export function computeProviderEnd(
  { exp }: ProviderAnswer,
  { clockSkewSec }: Pick<ComparedFacts, 'clockSkewSec'>,
): number {
  return isTime(exp) ? toMs(exp) + clockSkewSec * 1000 : Infinity
}

/** Returns whether a value is a number of seconds since 1970 that a date can hold (ECMA-262, section 21.4.1.1). */
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
 * Returns the owner of a token that is not a JWT, from its provider's answer. The members of the answer (RFC 7662, section 2.2) must pass
 * the same checks as the claims of a JWT, so that the policy means the same for both: subject, audience and expiry are required. The type
 * of the token is required too, because some providers omit it for refresh tokens. A member that repeats the token is omitted, because
 * claims are written to the audit and to headers. Pure.
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
 * Some providers accept several spellings of one token, for example with and without padding. So a single use is recorded under the
 * provider's own id of the token.
 */
function toOpaqueUse(iss: string, { jti }: ProviderAnswer): Pick<Identity, 'useKey'> {
  return typeof jti === 'string' ? { useKey: JSON.stringify([iss, jti]) } : {}
}
