import type { RefusalReason } from '../../../contract/refusal-reasons.ts'
import type { JwtTrust } from '../../policy/policy.ts'
import type { SignedJwt } from '../signed-jwt/signed-jwt.ts'

/** What a check says of a token, in one sentence. */
export type CheckResult =
  | { readonly outcome: 'met'; readonly says: string }
  | { readonly outcome: 'unmet'; readonly says: string; readonly reason: RefusalReason }
  /** It could not be made, for what it needs is missing: a token with such a check is refused as well. */
  | { readonly outcome: 'unknown'; readonly says: string }

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
