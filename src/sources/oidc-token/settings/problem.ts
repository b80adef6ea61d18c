import { type FailureKind, HelperError } from '../../../runtime/failure.ts'

/** What is wrong with one option, and what to do about it. Neither repeats a value. */
export interface Problem {
  /** `not-configured`: something is missing; `usage`: something cannot be used. */
  readonly kind: Extract<FailureKind, 'usage' | 'not-configured'>
  readonly message: string
  /** Imperative. */
  readonly hint: string
}

/** All that is wrong, as one failure; what cannot be used counts before what is missing. */
export function toProblemError(problems: readonly Problem[]): HelperError {
  const kind = problems.some((problem) => problem.kind === 'usage') ? 'usage' : 'not-configured'
  const join = (part: 'message' | 'hint') => [...new Set(problems.map((problem) => problem[part]))].join('; ')
  return new HelperError(kind, join('message'), join('hint'))
}
