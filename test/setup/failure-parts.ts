import { HelperError } from '../../src/runtime/failure.ts'

/** Returns the kind, the message and the hint of a failure, and throws anything else again. */
export function toFailureParts(thrown: unknown): [kind: string, message: string, hint: string] {
  if (!(thrown instanceof HelperError)) throw thrown
  return [thrown.kind, thrown.message, thrown.hint]
}

/** Returns the same of work that fails. */
export function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(() => 'no failure', toFailureParts)
}
