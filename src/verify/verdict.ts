// Folder: the verifier: it decides whether a token is good, whom it stands for, and which policy lets it pass.

import { type RefusalReason, refusalReasons } from '../contract/refusal-reasons.ts'

/** The owner of a token that passed every check except the rules of the policy. */
export interface Identity {
  readonly kind: 'jwt' | 'opaque' | 'aws-identity'
  /** The claim `iss`; for an AWS identity, the host of AWS STS that confirmed it. */
  readonly issuer: string
  /** The claim `sub`; for an AWS identity, its ARN. */
  readonly subject: string
  /**
   * The values that rules and header templates name: the claims of a JWT; for an opaque token, the members of its provider's answer; for an
   * AWS identity `arn`, `account`, `user_id`, `partition`, and for an assumed role also `role` and `session`.
   */
  readonly claims: Readonly<Record<string, unknown>>
  /** The proof of possession that every request with this token needs; absent for a bearer token. */
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

/** The certificate or the key to which a token is bound, or both, as SHA-256 in base64url (the claim `cnf`, RFC 7800, section 3). */
export interface TokenBinding {
  /** The digest of the client certificate (RFC 8705, section 3.1). */
  readonly certificate?: string | undefined
  /** The thumbprint of the key of its proofs (RFC 9449, section 6.1). */
  readonly key?: string | undefined
}

/** A token that passes: who sends it, and what the gateway adds to the request. */
export interface Acceptance {
  readonly outcome: 'accepted'
  readonly identity: Identity
  /** The name of the rule that lets it pass. */
  readonly rule: string
  /**
   * The headers that name the caller to the server behind the gateway: every header that any rule of the policy can set. A header that this
   * rule does not set is empty, so that it replaces one of the same name that the caller sent.
   */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Returns whether a result that was obtained at `since` is valid until `until` and not older than the clock allows; all in epoch
 * milliseconds. A result from the future is invalid, because after the clock was set back it would be valid for too long.
 */
export function isStillValid(until: number, since: number, now: number): boolean {
  return until > now && since - now <= toleratedStepMs
}

/** How far the clock may be set back, in milliseconds, before earlier results become invalid. Our decision. */
const toleratedStepMs = 2_000

/** The decision about a token. A request passes only with an acceptance. */
export type Verdict =
  | Acceptance
  | {
      readonly outcome: 'refused'
      readonly refusal: TokenRefusal
      /** The owner, if the token passed every check except the rules. */
      readonly identity?: Identity | undefined
    }

/**
 * Thrown when a token is refused, or when the verifier cannot decide. Any other error is treated as a refusal too, with the reason
 * `defect`.
 */
export class TokenRefusal extends Error {
  readonly reason: RefusalReason
  /**
   * For the caller: what the policy requires, or what the token states. Set only if the token's signature is valid, because only the
   * token's owner may learn it. It holds no secret, and nothing about other rules.
   */
  readonly detail: string | undefined
  /** For the operator's log, never for the caller; it holds no secret. */
  readonly note: string | undefined
  /** For the caller: the scopes with which the same token would pass. Set only if the token lacks nothing else. */
  readonly requiredScopes: readonly string[] | undefined
  /** In whole seconds: when the caller may send another request (RFC 9110, section 10.2.3). */
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
  readonly detail?: string | undefined
  readonly note?: string | undefined
  readonly requiredScopes?: readonly string[] | undefined
  readonly retryAfterSec?: number
  readonly cause?: unknown
}

/** An error that is not a refusal becomes a refusal with the reason `defect`, which the operator's log describes. */
export function toRefusedVerdict(thrown: unknown): Extract<Verdict, { outcome: 'refused' }> {
  if (thrown instanceof TokenRefusal) return { outcome: 'refused', refusal: thrown }
  const note = thrown instanceof Error ? thrown.name : typeof thrown
  return { outcome: 'refused', refusal: new TokenRefusal('defect', { note, cause: thrown }) }
}

/** The result of one check of a token. `gatepass verify` lists every check, even after one has failed. */
export interface ExaminedCheck {
  readonly name: string
  /** `skipped`: an earlier check failed, so the value for this check could not be read. */
  readonly outcome: 'pass' | 'fail' | 'skipped'
  /** Set if the check failed. */
  readonly reason?: RefusalReason
  /** The observed value in words, for the holder of the token; it holds no secret. */
  readonly note?: string
}
