// Folder: the verifier: it decides whether a token is good, whom it stands for, and which policy lets it pass.

import { type RefusalReason, refusalReasons } from '../contract/refusal-reasons.ts'

/** The owner of a token that passed every check except the rules of the policy. */
export interface Identity {
  readonly kind: 'jwt' | 'opaque' | 'aws-identity'
  /** The claim `iss`; of an AWS identity the host of STS that vouched for it. */
  readonly issuer: string
  /** The claim `sub`; of an AWS identity its ARN. */
  readonly subject: string
  /**
   * The values that rules and header templates name: the claims of a JWT; of an opaque token what its provider says of it; for an AWS identity `arn`, `account`, `user_id`,
   * `partition`, and for an assumed role `role` and `session`.
   */
  readonly claims: Readonly<Record<string, unknown>>
  /** The proof that its sender owes with each request; absent for a bearer token. */
  readonly binding?: TokenBinding
  /** Epoch milliseconds; `undefined` for a JWT without `iat`. */
  readonly issuedAt: number | undefined
  /** Epoch milliseconds: from then on the token is refused. */
  readonly expiresAt: number
  /**
   * For single-use tokens, the key under which the use is recorded, instead of the token's text: one signature can hold for
   * several texts, such as a URL with its parameters in another order, or the second value of an ECDSA signature. If absent, the
   * text is the key.
   */
  readonly useKey?: string
}

/** The certificate or the key to which a token is bound, or both: SHA-256 in base64url, as the claim `cnf` has it (RFC 7800). */
export interface TokenBinding {
  /** The digest of the client certificate (RFC 8705, section 3.1). */
  readonly certificate?: string
  /** The thumbprint of the key of its proofs (RFC 9449, section 6.1). */
  readonly key?: string
}

/** A token that passes: who sends it, and what the gateway adds to the request. */
export interface Acceptance {
  readonly outcome: 'accepted'
  readonly identity: Identity
  /** The name of the rule that lets it pass. */
  readonly rule: string
  /**
   * The headers that name the caller to the server behind the gateway. Every header that any rule of the policy can set is
   * there, empty if this rule does not set it, so that it replaces a header of the same name that the caller sent.
   */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Whether something that was found out at `since` still counts, until `until`; all in epoch milliseconds. Something from the future does not:
 * after the clock was set back, it would count for longer than intended.
 */
export function isStillValid(until: number, since: number, now: number): boolean {
  return until > now && since - now <= toleratedStepMs
}

/** If the clock is set back by more than this, in milliseconds, nothing earlier counts. Our decision. */
const toleratedStepMs = 2_000

/** The decision about a token. Only an acceptance lets a request pass. */
export type Verdict =
  | Acceptance
  | {
      readonly outcome: 'refused'
      readonly refusal: TokenRefusal
      /** The owner of a token that is good otherwise. */
      readonly identity?: Identity
    }

/** A token that does not pass, or a verifier that cannot tell. Any other error fails closed, as a `defect`. */
export class TokenRefusal extends Error {
  readonly reason: RefusalReason
  /**
   * For the caller: what the policy lacks or the token states. Set only if the token's signature holds, because nobody else
   * has to learn it. It holds no secret, and nothing about other rules.
   */
  readonly detail: string | undefined
  /** The words for the operator's log, never for the caller; they hold no secret. */
  readonly note: string | undefined
  /** For the caller: the scopes with which the same token would pass. Set only if nothing else is missing. */
  readonly requiredScopes: readonly string[] | undefined
  /** In whole seconds: when another request may pass (RFC 9110, section 10.2.3). */
  readonly retryAfterSec: number | undefined

  constructor(reason: RefusalReason, { detail, note, requiredScopes, retryAfterSec, cause }: TokenRefusalFacts = {}) {
    super(refusalReasons[reason].summary, { cause })
    this.name = 'TokenRefusal'
    this.reason = reason
    this.detail = detail
    this.note = note
    this.requiredScopes = requiredScopes
    this.retryAfterSec = retryAfterSec
  }
}

interface TokenRefusalFacts {
  readonly detail?: string
  readonly note?: string
  readonly requiredScopes?: readonly string[]
  readonly retryAfterSec?: number
  readonly cause?: unknown
}

/** Fails closed: an error that is not a refusal is a defect, which the operator's log names. */
export function toRefusedVerdict(thrown: unknown): Extract<Verdict, { outcome: 'refused' }> {
  if (thrown instanceof TokenRefusal) return { outcome: 'refused', refusal: thrown }
  const note = thrown instanceof Error ? thrown.name : typeof thrown
  return { outcome: 'refused', refusal: new TokenRefusal('defect', { note, cause: thrown }) }
}

/** One check of a token by its name, as `gatepass verify` lists it also where another one fails. */
export interface ExaminedCheck {
  readonly name: string
  /** `skipped`: what it looks at could not be read, because of a check that failed before. */
  readonly outcome: 'pass' | 'fail' | 'skipped'
  /** Set if the check failed. */
  readonly reason?: RefusalReason
  /** The observed value in words, for whoever holds the token; no secret. */
  readonly note?: string
}
