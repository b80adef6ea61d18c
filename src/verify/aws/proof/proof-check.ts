import type { RefusalReason } from '../../../contract/refusal-reasons.ts'
import type { AwsTrust } from '../../policy/policy.ts'

/** What a proof is checked against. */
export interface ProofTerms {
  readonly trust: AwsTrust
  /** Epoch milliseconds. */
  readonly now: number
  /** By how much clocks may differ, in seconds. */
  readonly clockSkewSec: number
}

/** What is wrong with a proof. */
export interface ProofProblem {
  readonly reason: RefusalReason
  /** What was seen, in words; no part of a signature or a session token. */
  readonly note: string
}

/** One check of a proof, which was taken apart as far as it could be. */
export interface ProofCheck<Parts> {
  readonly name: string
  /** The problem; `skipped` where what it looks at could not be read; `undefined` where the check holds. */
  find(parts: Parts, terms: ProofTerms): ProofProblem | 'skipped' | undefined
  /** What was seen where it holds, in words. */
  readonly holds: string | ((parts: Parts, terms: ProofTerms) => string)
}

/** A problem of the form itself. */
export function rejectForm(note: string): ProofProblem {
  return { reason: 'malformed', note }
}
