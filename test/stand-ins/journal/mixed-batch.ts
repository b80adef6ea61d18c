import type { CallOutcome } from '../../../src/outcomes/call-outcome.ts'
import type { OutcomeBatch } from '../../../src/outcomes/destination.ts'

const cached: CallOutcome = {
  time: 1_790_000_000_000,
  helper: 'aws-bedrock-token',
  version: '1.2.3',
  context: 'interactive',
  format: 'json',
  outcome: 'success',
  status: 0,
  ms: 30,
  origin: 'cache',
  source: 'aws-sso',
}
const { origin: _, ...failed } = cached

/** A morning of one machine: what a system's log has one entry for, and what it counts. */
export const mixedBatch: OutcomeBatch = {
  outcomes: [
    { ...failed, outcome: 'late', status: 7, ms: 58_000, mintMs: 57_500, late: 'network' },
    cached,
    { ...cached, ms: 1_400, origin: 'mint', mintMs: 1_250 },
    { ...cached, time: 1_790_000_010_000 },
    { ...failed, outcome: 'not-configured', status: 3 },
  ],
  lost: 2,
  resource: { 'host.name': 'desk' },
}
