import type { Headers } from '../../../contract/headers.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Secret } from '../../../runtime/secret.ts'

/** A token, and what stood around it. */
export interface FoundToken {
  readonly token: Secret
  /** Beside the token. */
  readonly headers: Headers
  /** What the token was read out of, in words; `undefined` for a bare token. */
  readonly shape?: string
  /** When the output says that the token ends, in epoch milliseconds, and by which member. */
  readonly stated?: { readonly source: string; readonly at: number }
  /** What was taken away around the token, and what a client says of the output. */
  readonly notes: readonly string[]
}

/** What was given is no token. @param problem Follows "what was given"; it repeats nothing of it. */
export function rejectInput(problem: string, hint: string): HelperError {
  return new HelperError('usage', `what was given ${problem}`, hint)
}
