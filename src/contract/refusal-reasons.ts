/** The header of a refusal with its reason, for gateways that drop the body. */
export const refusalHeader = 'gatepass-refusal'

/** The header of a refusal with further details. */
export const refusalDetailHeader = 'gatepass-refusal-detail'

/** How much a verifier's clock may differ from that of whoever made a token, in seconds, unless its policy sets another bound. */
export const usualClockSkewSec = 60

/** The facts about a reason. */
export interface ReasonFacts {
  readonly status: RefusalStatus
  /** The cause, for a person; it contains nothing that the caller has not sent. */
  readonly summary: string
  /** The challenge of a 401, where it is not `Bearer` with `invalid_token` (RFC 9449, section 7.1). */
  readonly challenge?: { readonly scheme: 'DPoP'; readonly error: 'invalid_token' | 'invalid_dpop_proof' }
}

/**
 * The meaning of a refusal for a client: another token may help, no token of this caller helps, the request came too soon, or no decision
 * is possible now.
 */
type RefusalStatus = 401 | 403 | 429 | 500 | 503

/**
 * The reasons why a verifier refuses a request, by the word that goes into its answer. One table for the verifier, the recipes of
 * gateways and `gatepass doctor`. Of these, RFC 6750, section 3.1, knows `invalid_token` (401) and `insufficient_scope` (403).
 */
export const refusalReasons = {
  'no-token': { status: 401, summary: 'the request has no token' },
  'several-tokens': { status: 401, summary: 'the request has more than one token' },
  malformed: { status: 401, summary: 'the token is malformed' },
  'unknown-kind': { status: 401, summary: 'tokens of this kind are not accepted here' },
  algorithm: { status: 401, summary: 'the token is signed by an algorithm that is not accepted here' },
  issuer: { status: 401, summary: 'the issuer of the token is not trusted here' },
  'unknown-key': { status: 401, summary: 'the issuer has no such key' },
  signature: { status: 401, summary: 'the signature of the token does not hold' },
  audience: { status: 401, summary: 'the token is for another audience' },
  expired: { status: 401, summary: 'the token has expired' },
  'not-yet-valid': { status: 401, summary: 'the token is not valid yet' },
  'too-old': { status: 401, summary: 'the token is older, or lives longer, than is accepted here' },
  host: { status: 401, summary: 'the proof is not for a host of AWS STS that is accepted here' },
  'aws-refused': { status: 401, summary: 'AWS STS refused the proof' },
  certificate: { status: 401, summary: 'the token is bound to another client certificate than that of the request' },
  'key-binding': {
    status: 401,
    summary: 'the request does not show that its sender has the key to which the token is bound',
    challenge: { scheme: 'DPoP', error: 'invalid_token' },
  },
  proof: {
    status: 401,
    summary: 'the proof of possession (DPoP) is not valid for this request',
    challenge: { scheme: 'DPoP', error: 'invalid_dpop_proof' },
  },
  'proof-replayed': {
    status: 401,
    summary: 'the proof of possession (DPoP) was used before',
    challenge: { scheme: 'DPoP', error: 'invalid_dpop_proof' },
  },
  replayed: { status: 401, summary: 'the token was used before, and is accepted once' },
  inactive: { status: 401, summary: 'the provider says that the token is not active' },
  revoked: { status: 401, summary: 'the token, its owner or its key is revoked' },
  'no-rule': { status: 403, summary: 'the token is good, and no rule of the policy lets its owner pass' },
  'too-many-requests': { status: 429, summary: 'too many requests came: wait before the next one' },
  'no-tenant': { status: 403, summary: 'no policy is for this request' },
  // The next two are the configuration server's own.
  'not-entitled': { status: 403, summary: 'the token is good, and there is no configuration for its owner' },
  'no-release': { status: 503, summary: 'the server has no configuration yet that it may serve' },
  'tenant-unavailable': { status: 503, summary: 'the policy for this request cannot be used now' },
  'keys-unavailable': { status: 503, summary: 'the keys of the issuer cannot be fetched' },
  'aws-unavailable': { status: 503, summary: 'AWS STS cannot be asked' },
  'replay-store-unavailable': { status: 503, summary: 'it cannot be determined whether the token was used before' },
  'revocations-unavailable': { status: 503, summary: 'it cannot be determined whether the token is revoked' },
  'introspection-unavailable': { status: 503, summary: 'the provider cannot be asked whether the token is active' },
  'audit-unavailable': { status: 503, summary: 'the audit, without which nobody passes, cannot be written' },
  // A gateway uses this itself, because it got no answer.
  'verifier-unavailable': { status: 503, summary: 'the verifier of the gateway does not answer' },
  overloaded: { status: 503, summary: 'too many tokens are being verified' },
  defect: { status: 500, summary: 'this is a defect of the verifier' },
} as const satisfies Readonly<Record<string, ReasonFacts>>

/** The word of a reason in answers, in metrics and in the audit. */
export type RefusalReason = keyof typeof refusalReasons
