import type { RefusalReason } from '../../../contract/refusal-reasons.ts'
import type { JwtTrust } from '../../policy/policy.ts'
import type { SignedJwt } from '../signed-jwt/signed-jwt.ts'

/** How one check of a token ended, and what was seen, as a sentence. */
export type CheckResult =
  | { readonly outcome: 'pass'; readonly note: string }
  | { readonly outcome: 'fail'; readonly note: string; readonly reason: RefusalReason }
  /** What it needs is missing: a token with such a check is refused as well. */
  | { readonly outcome: 'skipped'; readonly note: string }

/** What a check without a request is made of. */
export interface JwtFacts {
  readonly jwt: SignedJwt
  /** What the policy says of its issuer; `undefined` for an issuer that is not trusted. */
  readonly trust: JwtTrust | undefined
  /** Epoch milliseconds. */
  readonly now: number
  /** By how much clocks may differ. */
  readonly clockSkewSec: number
}

/** A check that needs no request; pure. */
export type ExamineFacts = (facts: JwtFacts) => CheckResult
