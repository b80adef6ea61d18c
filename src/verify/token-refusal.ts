import { type RefusalReason, refusalReasons } from '../contract/refusal-reasons.ts'

/** A token that does not pass, or a verifier that cannot tell. Everything that is thrown besides fails closed, as a `defect`. */
export class TokenRefusal extends Error {
  readonly reason: RefusalReason
  /**
   * What the policy lacks or the token states, for the caller; only of a token whose signature holds, because nobody else has
   * to learn it. No secret, and nothing of other rules.
   */
  readonly detail: string | undefined
  /** For the operator's log and never for the caller; no secret. */
  readonly note: string | undefined

  constructor(
    reason: RefusalReason,
    { detail, note, cause }: { detail?: string; note?: string; cause?: unknown } = {},
  ) {
    super(refusalReasons[reason].summary, { cause })
    this.name = 'TokenRefusal'
    this.reason = reason
    this.detail = detail
    this.note = note
  }
}
