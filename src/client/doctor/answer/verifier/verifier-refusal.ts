import type { RefusalReason } from '../../../../contract/refusal-reasons.ts'

/** What a verifier has said of a token, as it comes through its gateway. The texts are the gateway's: anything may be in them. */
export interface VerifierRefusal {
  readonly reason: RefusalReason
  /** What the policy lacks or the token states; only of a token whose signature holds. */
  readonly detail?: string
}
