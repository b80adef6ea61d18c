import type { CallOutcome } from '../../src/outcomes/call-outcome.ts'

/** The moment of every outcome. */
export const now = Date.UTC(2026, 0, 15, 12)

/** Returns the outcome of a call that ended with this status. */
export const outcomeOf = (status: number): CallOutcome => ({
  time: now,
  helper: 'badge',
  version: '1.2.3',
  context: 'unknown',
  format: 'json',
  outcome: 'success',
  status,
  ms: 1,
})
