import type { RefusalReason } from '../../contract/refusal-reasons.ts'
import type { JwtTrust } from '../policy/policy.ts'
import type { SignedJwt } from './parse-signed-jwt.ts'

/** The result of one check of a token, and a sentence about it. */
export type CheckResult =
  | { readonly outcome: 'pass'; readonly note: string }
  | { readonly outcome: 'fail'; readonly note: string; readonly reason: RefusalReason }
  /** The check lacks something that it needs: such a token is refused as well. */
  | { readonly outcome: 'skipped'; readonly note: string }

/** The facts that a check without a request looks at. */
export interface JwtFacts {
  readonly jwt: SignedJwt
  /** The policy's entry for the issuer; `undefined` for an issuer that is not trusted. */
  readonly trust: JwtTrust | undefined
  /** Epoch milliseconds. */
  readonly now: number
  /** By how much clocks may differ. */
  readonly clockSkewSec: number
}

/** A check that needs no request; pure. */
export type ExamineFacts = (facts: JwtFacts) => CheckResult
