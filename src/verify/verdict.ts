import type { TokenRefusal } from './token-refusal.ts'

/** Whom a token stands for, once everything about it holds except the rules of the policy. */
export interface Identity {
  readonly kind: 'jwt' | 'aws-identity'
  /** The claim `iss`; of an AWS identity the host of STS that vouched for it. */
  readonly issuer: string
  /** The claim `sub`; of an AWS identity its ARN. */
  readonly subject: string
  /**
   * What rules and header templates name: the claims of a JWT; of an AWS identity `arn`, `account`, `user_id`, `partition`, and
   * `role` and `session` of an assumed role.
   */
  readonly claims: Readonly<Record<string, unknown>>
  /** Epoch milliseconds; `undefined` for a JWT that does not say. */
  readonly issuedAt: number | undefined
  /** Epoch milliseconds: from then on the token is refused. */
  readonly expiresAt: number
  /**
   * What a use is counted by where a token is accepted once, in place of its text: one signature can hold for several texts, such
   * as a URL with its parameters in another order, or the second value of an ECDSA signature. The text itself if absent.
   */
  readonly useKey?: string
}

/** A token that passes. */
export interface Acceptance {
  readonly outcome: 'accepted'
  readonly identity: Identity
  /** The name of the rule that lets it pass. */
  readonly rule: string
  /**
   * The headers that name the caller to what is behind the gateway: every header that any rule of the policy can set, an empty
   * text where this one has none, so that no header of the same name that the caller sent remains.
   */
  readonly headers: Readonly<Record<string, string>>
}

/** What is said of a token. */
export type Verdict = Acceptance | { readonly outcome: 'refused'; readonly refusal: TokenRefusal }
