import { type RefusalReason, refusalReasons } from '../../contract/refusal-reasons.ts'
import type { ExaminedCheck } from '../../verify/verdict.ts'

/** `unknown`: the check was requested, but had no result. `not asked`: there was no value to compare with. */
export type CheckStatus = 'met' | 'unmet' | 'unknown' | 'not asked'

/** One check of a token, by its name. */
export interface TokenCheck {
  readonly name: string
  readonly status: CheckStatus
  /** The observation; it contains no secret. */
  readonly message: string
  /** The reason of a verifier's refusal; set if the check is not met. */
  readonly reason?: RefusalReason
  /** The way out, in the imperative. */
  readonly hint?: string
}

/** The result of all checks together. `not judged`: no check failed, but the signature was not verified. */
export type TokenVerdict = 'good' | 'bad' | 'not found out' | 'not judged'

/** The worst check decides. */
export function summarizeChecks(checks: readonly TokenCheck[]): TokenVerdict {
  const has = (wanted: CheckStatus) => checks.some(({ status }) => status === wanted)
  if (has('unmet')) return 'bad'
  if (has('unknown')) return 'not found out'
  return has('not asked') ? 'not judged' : 'good'
}

/**
 * Converts the checks of a verifier for the list.
 * @param known Replace those of the same name, because more is known here.
 */
export function toTokenChecks(examined: readonly ExaminedCheck[], known: readonly TokenCheck[]): TokenCheck[] {
  return examined.map((check) => known.find(({ name }) => name === check.name) ?? toTokenCheck(check))
}

/** Converts a check of a verifier, with a hint if it is not met. */
export function toTokenCheck({ name, outcome, reason, note = '' }: ExaminedCheck): TokenCheck {
  if (reason === undefined) return { name, status: outcome === 'pass' ? 'met' : 'unknown', message: note }
  // The result is unknown: neither the token nor its holder is at fault.
  const status: CheckStatus = refusalReasons[reason].status === 503 ? 'unknown' : 'unmet'
  return { name, status, message: note, reason, hint: reasonHints[reason] }
}

/** The hint if an operator's server does not answer. */
const later = 'try again later'

/** The hints for the holder of a refused token, by reason, in the imperative. */
export const reasonHints: Readonly<Record<RefusalReason, string>> = {
  'no-token': 'give a token',
  'several-tokens': 'give one token at a time',
  malformed: 'get a new token; if you copied this one, copy all of it again',
  'unknown-kind': 'get a token of another kind: a gateway that checks this does not take it',
  algorithm: 'have its issuer sign with a key pair, with an algorithm such as ES256 or RS256',
  issuer: 'compare both to the last slash; have the token made by the other issuer, or name this one',
  'unknown-key': 'get a new token: its key may have been withdrawn; otherwise ask its issuer which keys it publishes',
  signature: 'get a new token: this one was changed, or is not of that issuer',
  audience: 'have the helper ask for that audience, or compare the name with the one that the gateway expects',
  expired: 'get a new one; if this one is new, check the clock of this machine, and of whoever issued it',
  'not-yet-valid': 'check the clock of this machine, and of whoever issued it; otherwise wait until then',
  'too-old': 'get one with a shorter life, or a new one',
  host: 'have the helper make the proof for a host of AWS STS: a server that gets this one would send it to another host',
  'aws-refused':
    'make a new proof, with credentials that AWS accepts; compare the audience with the one that was signed',
  certificate: 'send it over a connection with the client certificate with which it was obtained',
  'key-binding': 'send it with the scheme DPoP, and with a proof by the key with which it was obtained',
  proof: 'make a proof for each request: for its method, its address and this token',
  'proof-replayed': 'make a new proof for each request',
  replayed: 'get a new token for each request',
  inactive: 'sign in again, and get a new token',
  revoked: 'sign in again, and get a new token',
  'no-rule': 'compare the claims above with the rules of the policy',
  'too-many-requests': 'wait, and send fewer requests at a time',
  'no-tenant': 'compare the address with the one that the operators have given you',
  'not-entitled': 'ask the owners of the configuration to put you into a group of their rollout',
  'no-release': later,
  'tenant-unavailable': later,
  'keys-unavailable': 'check the network and the address; or name the keys in a file: --keys FILE',
  'aws-unavailable': 'check the network and the proxy, and try again',
  'replay-store-unavailable': later,
  'revocations-unavailable': later,
  'introspection-unavailable': later,
  'audit-unavailable': later,
  'verifier-unavailable': later,
  overloaded: later,
  defect: 'report it with the version and the kind of the token',
}
