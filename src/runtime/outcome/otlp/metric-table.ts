import type { CallOutcome } from '../call-outcome.ts'
import type { MetricNames } from './metrics-request.ts'

/** Members of an outcome that are attributes of points: each has few values, so that a machine has few streams. */
export type PointMember = Exclude<keyof CallOutcome, 'time' | 'ms' | 'mintMs'>

interface DescribedMetric extends MetricNames {
  readonly by: readonly PointMember[]
}

/** What every metric of calls is told apart by. */
const facts = ['helper', 'version', 'source', 'origin', 'outcome', 'status', 'late'] as const

/** Every metric that is sent, and by what it is told apart. */
export const metricTable = {
  calls: {
    name: 'gatepass.calls',
    unit: '{call}',
    description: 'Calls of helpers.',
    by: [...facts, 'context', 'format'],
  },
  callDuration: {
    name: 'gatepass.call.duration',
    unit: 's',
    description: 'Time from the start of a helper to its output.',
    by: facts,
  },
  mintDuration: {
    name: 'gatepass.mint.duration',
    unit: 's',
    description: 'Time that a source took for a new token, or to fail.',
    by: facts,
  },
  lost: {
    name: 'gatepass.outcomes.lost',
    unit: '{call}',
    description: 'Calls that are in none of the other metrics, because a destination did not take them in time.',
    by: [],
  },
} as const satisfies Record<string, DescribedMetric>

/** Upper bounds of the histograms in seconds: from a call that is served from the cache to one that a client gives up. */
export const durationBounds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60] as const
