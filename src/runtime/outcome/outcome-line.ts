import type { CallOutcome } from './call-outcome.ts'

/** In bytes, with the line break. A pipe or a file takes that with one write. */
export const longestOutcomeLine = 512

/** An outcome as one line of JSON, without a line break. What is absent is left out. */
export function renderOutcome(outcome: CallOutcome): string {
  return JSON.stringify(outcome)
}
