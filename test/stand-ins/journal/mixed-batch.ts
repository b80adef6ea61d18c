import type { OutcomeBatch } from '../../../src/outcomes/destination.ts'
import { cachedOutcome } from '../../setup/cached-outcome.ts'

const { origin: _, ...failed } = cachedOutcome

/** A morning of one machine: what a system's log has one entry for, and what it counts. */
export const mixedBatch: OutcomeBatch = {
  outcomes: [
    { ...failed, outcome: 'late', status: 7, ms: 58_000, mintMs: 57_500, late: 'network' },
    cachedOutcome,
    { ...cachedOutcome, ms: 1_400, origin: 'mint', mintMs: 1_250 },
    { ...cachedOutcome, time: 1_790_000_010_000 },
    { ...failed, outcome: 'not-configured', status: 3 },
  ],
  lost: 2,
  resource: { 'host.name': 'desk' },
}
