import { refusalReasons } from '../../../contract/refusal-reasons.ts'
import type { ExaminedCheck } from '../../../verify/examined-check.ts'
import { reasonHints } from './reason-hints.ts'
import type { CheckStatus, TokenCheck } from './token-check.ts'

/** Checks of a verifier as they are listed. @param known In place of those of the same name, because more is known here. */
export function toTokenChecks(examined: readonly ExaminedCheck[], known: readonly TokenCheck[]): TokenCheck[] {
  return examined.map((check) => known.find(({ name }) => name === check.name) ?? toTokenCheck(check))
}

/** One of them, with what to do where it is not met. */
export function toTokenCheck({ name, outcome, reason, note = '' }: ExaminedCheck): TokenCheck {
  if (reason === undefined) return { name, status: outcome === 'pass' ? 'met' : 'unknown', message: note }
  // Nobody could tell: neither the token nor whoever holds it is wrong.
  const status: CheckStatus = refusalReasons[reason].status === 503 ? 'unknown' : 'unmet'
  return { name, status, message: note, reason, hint: reasonHints[reason] }
}
