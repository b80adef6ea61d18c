// The checks of a JWT that need no key.

import type { RefusalReason } from '../../contract/refusal-reasons.ts'
import { isSignatureAlgorithm, signatureAlgorithmNames } from '../../contract/signature-algorithms.ts'
import { normalizeType } from '../../runtime/tokens/jwt.ts'
import { latestSec } from '../../runtime/values/duration.ts'
import type { JwtTrust, Policy } from '../policy/policy.ts'
import type { ExaminedCheck } from '../verdict.ts'
import { examineConfirmation } from './confirmation.ts'
import { describeTime, describeValue } from './describe-value.ts'
import type { SignedJwt } from './parse-signed-jwt.ts'

/** `sub` is required, because rules and headers name it. */
const examineSubject: ExamineFacts = ({ jwt: { claims } }) =>
  typeof claims.sub === 'string' && claims.sub !== ''
    ? { outcome: 'pass', note: () => `it is about ${describeValue(claims.sub)}` }
    : { outcome: 'fail', note: 'it does not say whom it is about (sub)', reason: 'malformed' }

/** The claim is a text or a list of texts (RFC 7519, section 4.1.3). */
const examineAudience: ExamineFacts = ({ jwt: { claims }, trust }) => {
  const named = Array.isArray(claims.aud) ? claims.aud : claims.aud === undefined ? [] : [claims.aud]
  const fail = (note: string): CheckResult => ({ outcome: 'fail', note, reason: 'audience' })
  if (!named.every((item) => typeof item === 'string'))
    return { outcome: 'fail', note: 'its audience (aud) is neither a text nor a list of texts', reason: 'malformed' }
  if (named.length === 0) return fail('it names no audience (aud)')
  if (!trust || trust.audiences.length === 0)
    return { outcome: 'skipped', note: `it is for ${describeList(named)}, and nothing says whether that is right` }
  const accepted = named.find((item) => trust.audiences.includes(item))
  if (accepted !== undefined) return { outcome: 'pass', note: () => `it is for ${describeValue(accepted)}` }
  return fail(`it is for ${describeList(named)}, not for ${describeList(trust.audiences)}`)
}

const issuerUnknown: CheckResult = { outcome: 'skipped', note: 'what is accepted of its issuer is not known' }

/**
 * Refuses header parameters that change the meaning of the payload, or that require a feature which this verifier lacks, such as `crit`
 * (RFC 7515, section 4.1.11) and `b64` (RFC 7797).
 */
const examineCriticalHeaders: ExamineFacts = ({ jwt: { header } }) => {
  const fail = (note: string): CheckResult => ({ outcome: 'fail', note, reason: 'malformed' })
  if ('crit' in header) return fail('it names header parameters that must be understood, and none are (crit)')
  if ('b64' in header && header.b64 !== true)
    return fail('its payload is not encoded, which a JWT does not permit (b64)')
  if ('zip' in header) return fail('it says that its payload is compressed, which signed tokens are not (zip)')
  if ('enc' in header) return fail('it says that it is encrypted, and is not (enc)')
  if ('kid' in header && typeof header.kid !== 'string') return fail('its kid is not a string')
  return { outcome: 'pass', note: 'its header asks for nothing unusual' }
}

/** Compares exactly (RFC 8725, section 3.8). */
const examineIssuer: ExamineFacts = ({ jwt: { claims }, trust }) => {
  if (trust) return { outcome: 'pass', note: () => `its issuer is ${describeValue(trust.issuer)}` }
  const note =
    typeof claims.iss === 'string'
      ? `its issuer ${describeValue(claims.iss)} is not trusted`
      : 'it names no issuer (iss)'
  return { outcome: 'fail', note, reason: 'issuer' }
}

/** `typ` is a media type, which is compared without case (RFC 8725, section 3.11; RFC 7515, section 4.1.9). */
const examineType: ExamineFacts = ({ jwt: { header }, trust }) => {
  if (!trust) return issuerUnknown
  const type = () => ('typ' in header ? describeValue(header.typ) : 'none')
  if (!trust.types) return { outcome: 'pass', note: () => `its type (typ) is ${type()}, and any is accepted` }
  const isAccepted =
    typeof header.typ === 'string' && trust.types.map(normalizeType).includes(normalizeType(header.typ))
  if (isAccepted) return { outcome: 'pass', note: () => `its type (typ) is ${type()}` }
  const accepted = trust.types.map(describeValue).join(' or ')
  return { outcome: 'fail', note: `its type (typ) is ${type()}, not ${accepted}`, reason: 'unknown-kind' }
}

/** Only the algorithms of the policy are accepted (RFC 8725, sections 3.1 and 3.2). */
const examineAlgorithm: ExamineFacts = ({ jwt: { header }, trust }) => {
  const accepted = trust?.algorithms ?? signatureAlgorithmNames
  if (isSignatureAlgorithm(header.alg) && accepted.includes(header.alg))
    return { outcome: 'pass', note: () => `it is signed by ${describeValue(header.alg)}` }
  const name = describeValue(header.alg)
  const note = isSignatureAlgorithm(header.alg)
    ? `it is signed by ${name}, and only ${accepted.join(', ')} is accepted`
    : `${name} is not an algorithm that is ever accepted`
  return { outcome: 'fail', note, reason: 'algorithm' }
}

const rejectTime = (name: string): CheckResult => ({
  outcome: 'fail',
  note: `its ${name} is not a number of seconds since 1970 (RFC 7519, section 2)`,
  reason: 'malformed',
})

/** `exp` is optional in RFC 7519, section 4.1.4, and required here: without it a token would be valid forever. */
const examineExpiry: ExamineFacts = ({ jwt: { claims }, now, clockSkewSec }) => {
  const exp = toTimeClaim(claims, 'exp')
  if (exp === 'wrong') return rejectTime('exp')
  if (exp === 'absent') return { outcome: 'fail', note: unstatedExpiry, reason: 'malformed' }
  return now < exp + clockSkewSec * 1000
    ? { outcome: 'pass', note: () => `it expires at ${describeTime(exp)}` }
    : { outcome: 'fail', note: `it expired at ${describeTime(exp)}`, reason: 'expired' }
}

/** Follows RFC 7519, section 4.1.5. */
const examineNotBefore: ExamineFacts = ({ jwt: { claims }, now, clockSkewSec }) => {
  const nbf = toTimeClaim(claims, 'nbf')
  if (nbf === 'wrong') return rejectTime('nbf')
  if (nbf === 'absent') return { outcome: 'pass', note: 'it does not say from when on it is valid (nbf)' }
  return nbf <= now + clockSkewSec * 1000
    ? { outcome: 'pass', note: () => `it is valid since ${describeTime(nbf)}` }
    : { outcome: 'fail', note: `it is valid from ${describeTime(nbf)} on`, reason: 'not-yet-valid' }
}

/** Follows RFC 7519, section 4.1.6. A token from the future shows that a clock is wrong. */
const examineIssuedAt: ExamineFacts = ({ jwt: { claims }, now, clockSkewSec }) => {
  const iat = toTimeClaim(claims, 'iat')
  if (iat === 'wrong') return rejectTime('iat')
  if (iat === 'absent') return { outcome: 'pass', note: unstatedIssue }
  return iat <= now + clockSkewSec * 1000
    ? { outcome: 'pass', note: () => `it was issued at ${describeTime(iat)}` }
    : { outcome: 'fail', note: `it was issued in the future, at ${describeTime(iat)}`, reason: 'not-yet-valid' }
}

/** Measures the token's life, from `iat` to `exp`. */
const examineLife: ExamineFacts = ({ jwt: { claims }, trust }) => {
  const [iat, exp] = [toTimeClaim(claims, 'iat'), toTimeClaim(claims, 'exp')]
  if (typeof iat !== 'number' || typeof exp !== 'number') return toUnstated(trust?.longestLifeSec)
  const lifeSec = (exp - iat) / 1000
  const note = `it lives ${Math.ceil(lifeSec)} s`
  return lifeSec <= (trust?.longestLifeSec ?? Infinity)
    ? { outcome: 'pass', note }
    : toTooOld(note, trust?.longestLifeSec)
}

/** Measures the token's age, since `iat`. */
const examineAge: ExamineFacts = ({ jwt: { claims }, trust, now, clockSkewSec }) => {
  const iat = toTimeClaim(claims, 'iat')
  if (typeof iat !== 'number') return toUnstated(trust?.longestAgeSec)
  const ageSec = (now - iat) / 1000
  const note = `it is ${Math.max(0, Math.floor(ageSec))} s old`
  const isAccepted = ageSec < (trust?.longestAgeSec ?? Infinity) + clockSkewSec
  return isAccepted ? { outcome: 'pass', note } : toTooOld(note, trust?.longestAgeSec)
}

/** The checks before the search for the key: a token that fails here costs neither a request nor a signature. */
export const headerChecks = {
  'critical headers': examineCriticalHeaders,
  issuer: examineIssuer,
  type: examineType,
  algorithm: examineAlgorithm,
} as const satisfies Readonly<Record<string, ExamineFacts>>

/** The checks after the signature: unsigned claims are not evidence. */
export const claimChecks = {
  subject: examineSubject,
  audience: examineAudience,
  expiry: examineExpiry,
  'not before': examineNotBefore,
  'issued at': examineIssuedAt,
  life: examineLife,
  age: examineAge,
  confirmation: examineConfirmation,
} as const satisfies Readonly<Record<string, ExamineFacts>>

/** Every check of a JWT, by the name under which it is listed. */
export type JwtCheckName = 'form' | keyof typeof headerChecks | 'key' | 'signature' | keyof typeof claimChecks

/** A check that was made: its name, its result and the observed value. */
export type JwtCheck = CheckResult & ExaminedCheck & { readonly name: JwtCheckName; readonly note: string }

/** All checks in their order; the first that fails is the reason of a refusal. */
export const jwtCheckNames = [
  'form',
  ...Object.keys(headerChecks),
  'key',
  'signature',
  ...Object.keys(claimChecks),
] as readonly JwtCheckName[]

/** A claim that is a time (RFC 7519, section 2, NumericDate), in epoch milliseconds; `wrong` for any other value. */
type TimeClaim = number | 'absent' | 'wrong'

/** Reads a time from claims; pure. */
export function toTimeClaim(claims: Readonly<Record<string, unknown>>, name: 'exp' | 'nbf' | 'iat'): TimeClaim {
  if (!Object.hasOwn(claims, name)) return 'absent'
  const value = claims[name]
  return typeof value === 'number' && value >= 0 && value <= latestSec ? value * 1000 : 'wrong'
}

function describeList(names: readonly unknown[]): string {
  const shown = names.slice(0, 3).map(describeValue).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}

function toUnstated(boundSec: number | undefined): CheckResult {
  const note = unstatedIssue
  return boundSec === undefined ? { outcome: 'pass', note } : toTooOld(note, boundSec)
}

function toTooOld(note: string, boundSec: number | undefined): CheckResult {
  return { outcome: 'fail', note: `${note}, and at most ${boundSec} s are accepted`, reason: 'too-old' }
}

/**
 * The result of one check of a token, with a sentence about it. The sentence is a function if it takes time to render, because few people
 * read why a check passes.
 */
type CheckResult =
  | { readonly outcome: 'pass'; readonly note: string | (() => string) }
  | { readonly outcome: 'fail'; readonly note: string; readonly reason: RefusalReason }
  /** The check lacks a fact that it needs; the token is refused then too. */
  | { readonly outcome: 'skipped'; readonly note: string }

/** The facts for checks that need no request. */
export interface JwtFacts extends Pick<Policy, 'clockSkewSec'> {
  readonly jwt: SignedJwt
  /** The policy's entry for the issuer; `undefined` for an issuer that is not trusted. */
  readonly trust: JwtTrust | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** A check that needs no request; pure. */
export type ExamineFacts = (facts: JwtFacts) => CheckResult

/** The note about a token without `iat`. */
export const unstatedIssue = 'it does not say when it was issued (iat)'

/** The note about a token without `exp`. */
export const unstatedExpiry = 'it does not say when it expires (exp)'
