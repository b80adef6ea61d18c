import type { RefusalReason } from '../../../contract/refusal-reasons.ts'

/** `unknown`: it was asked for, and could not be found out. `not asked`: nothing was named to check it by. */
export type CheckStatus = 'met' | 'unmet' | 'unknown' | 'not asked'

/** One check of a token, by its name. */
export interface TokenCheck {
  readonly name: string
  readonly status: CheckStatus
  /** What was seen; no secret. */
  readonly message: string
  /** Of a check that is not met: the word by which a verifier would refuse the token. */
  readonly reason?: RefusalReason
  /** What to do, in the imperative. */
  readonly hint?: string
}

/** What all checks say together. `not judged`: nothing is wrong, and the signature was not verified. */
export type TokenVerdict = 'good' | 'bad' | 'not found out' | 'not judged'

/** The worst of the checks decides. */
export function summarizeChecks(checks: readonly TokenCheck[]): TokenVerdict {
  const has = (wanted: CheckStatus) => checks.some(({ status }) => status === wanted)
  if (has('unmet')) return 'bad'
  if (has('unknown')) return 'not found out'
  return has('not asked') ? 'not judged' : 'good'
}
