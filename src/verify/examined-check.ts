import type { RefusalReason } from '../contract/refusal-reasons.ts'

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
