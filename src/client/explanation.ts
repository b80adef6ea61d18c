import type { Outcome } from './examination.ts'

/** The likely cause of an answer and, unless all is well, what to do. */
export interface Explanation {
  readonly outcome: Outcome
  readonly cause: string
  readonly hint?: string
}
