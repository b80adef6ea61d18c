import { HelperError } from '../../runtime/failure.ts'
import { readBounded } from '../../runtime/network/bounded-body.ts'
import { encodeClientCredentials } from '../../runtime/network/client-credentials.ts'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { formType } from '../../runtime/network/request-body.ts'
import type { Secret } from '../../runtime/secret.ts'
import { parseConfirmation } from '../jwt/confirmation.ts'
import { describeTime, describeValue } from '../jwt/describe-value.ts'
import { parseUniqueObject } from '../jwt/find-duplicate-member.ts'
import type { IntrospectionSettings, JwtTrust } from '../policy/policy.ts'
import { type Identity, TokenRefusal } from '../verdict.ts'

/** The parts of {@link askProvider}. */
export interface QuestionParts {
  /** Follows no redirect, such as that of `createStreamFetch`. */
  readonly fetch: Fetch
  /**
   * Reads the secret with which the verifier proves to a provider who it is. It is read for each question, so that another one counts at once.
   * @param file As the policy names it.
   */
  readonly readSecret: (file: string) => Promise<Secret>
}

/** Bounds on one question. Our decisions. */
export const questionBounds = { answerMs: 3_000, bytes: 64 * 1024 } as const

/**
 * Asks a provider whether a token is active (RFC 7662, section 2.1), with `client_secret_basic`, which every provider has to know.
 * A signed answer (RFC 9701) is not asked for.
 * @throws {HelperError} for anything but a good answer; the message is for the operator.
 */
export async function askProvider(
  token: string,
  { url: address, clientId, secretFile }: IntrospectionSettings,
  { fetch, readSecret }: QuestionParts,
): Promise<ProviderAnswer> {
  const url = new URL(address)
  const response = await fetch(url.href, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: encodeClientCredentials(clientId, await readSecret(secretFile)),
      'content-type': formType,
    },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
    // Our own fetch never follows a redirect, but the fetch of Node, which a user of the library may pass, does.
    redirect: 'manual',
    signal: AbortSignal.timeout(questionBounds.answerMs),
  })
  const { status } = response
  if (status !== 200) {
    await response.body?.cancel()
    throw new ProviderStatusError(url, status)
  }
  const bound = { bytes: questionBounds.bytes, sec: questionBounds.answerMs / 1000, hint }
  return parseProviderAnswer((await readBounded(response, url.host, bound)).toString('utf8'), url)
}

const hint = 'look at what the provider answers there'

/** An answer with another status than 200. */
export class ProviderStatusError extends HelperError {
  readonly status: number

  constructor({ host, pathname }: URL, status: number) {
    const advice = status === 401 ? 'compare clientId and the secret with those at the provider' : hint
    super('unavailable', `${host} answered HTTP ${status} at ${pathname}`, advice)
    this.status = status
  }
}

/** @throws {HelperError} `unavailable` for anything but a JSON object with `active`. */
function parseProviderAnswer(text: string, { host, pathname }: URL): ProviderAnswer {
  const members = parseUniqueObject(text)
  if (!members)
    throw new HelperError(
      'unavailable',
      `${host} answered with no JSON object at ${pathname}, or with one that names a member twice`,
      hint,
    )
  const { active } = members
  if (typeof active === 'boolean') return { ...members, active }
  throw new HelperError('unavailable', `${host} answered without "active" at ${pathname}`, hint)
}

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
  if (!answer.active) return new TokenRefusal('inactive', { note: 'the provider says that it is not active' })
  return (
    findContradiction(answer, facts) ??
    validateKind(answer, facts) ??
    validateAudience(answer, facts) ??
    validateTimes(answer, facts)
  )
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
  const { token_type: type } = answer
  if (type !== undefined && !(typeof type === 'string' && acceptedTypes.includes(type.toLowerCase())))
    return new TokenRefusal('unknown-kind', { note: `the provider says that its type is ${describeValue(type)}` })
  const stated = parseConfirmation(answer)
  if (stated === undefined) return undefined
  if (stated !== 'unknown' && stated.certificate === binding?.certificate && stated.key === binding?.key)
    return undefined
  return new TokenRefusal('unknown-kind', { note: 'the provider says that it is bound in another way than it states' })
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
