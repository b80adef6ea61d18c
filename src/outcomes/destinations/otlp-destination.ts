// Folder: the destinations that outcomes are sent to: an OpenTelemetry collector, and the system's log.

import type { Clock } from '../../runtime/deadline.ts'
import { type OtlpAttribute, toTextAttributes } from '../../runtime/network/otlp.ts'
import type { CallOutcome } from '../call-outcome.ts'
import type { OutcomeBatch, OutcomeDestination } from '../destination.ts'
import { outcomeFields } from '../outcome-fields.ts'
import {
  type Collector,
  type CountPoint,
  type HistogramPoint,
  type Metric,
  type MetricNames,
  type MetricsRequest,
  type PointOrigin,
  sendMetrics,
} from './send-metrics.ts'

/** The attributes of every metric of calls. */
const facts = ['helper', 'version', 'source', 'origin', 'outcome', 'status', 'late'] as const

/** Every metric that is sent, with the attributes that divide it. */
const metricTable = {
  calls: {
    name: 'gatepass.calls',
    unit: '{call}',
    description: 'Calls of helpers.',
    by: [...facts, 'context', 'refresh', 'format'],
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

/**
 * The upper bounds of the histograms, in seconds: from a call that is served from the cache to one that a client abandons. Our decision.
 */
const durationBounds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60] as const

/**
 * Creates the destination that sends outcomes as metrics to a collector.
 * @param openCollector Called for each batch, so that unusable settings delay only that batch.
 */
export function createOtlpDestination(
  openCollector: () => Promise<Collector>,
  clock: Pick<Clock, 'now'>,
): OutcomeDestination {
  return {
    name: 'otlp',
    send: async (batch, within) => sendMetrics(toMetrics(batch, clock.now()), await openCollector(), within),
  }
}

/** The outcomes of one point. */
interface OutcomeGroup {
  readonly attributes: readonly OtlpAttribute[]
  readonly outcomes: readonly CallOutcome[]
}

/** The members of an outcome that are attributes of points. Each has few values, so that a machine has few streams. */
type PointMember = Exclude<keyof CallOutcome, 'time' | 'ms' | 'mintMs'>

interface DescribedMetric extends MetricNames {
  readonly by: readonly PointMember[]
}

/**
 * Converts a batch to an OTLP request. Metrics without points are left out.
 * @param now The time of sending, which ends the interval of the points.
 */
export function toMetrics({ outcomes, lost, resource }: OutcomeBatch, now: number): MetricsRequest {
  const interval = toInterval(outcomes, now)
  const minted = outcomes.filter(({ mintMs }) => mintMs !== undefined)
  const metrics = [
    toCounter('calls', toCallPoints(outcomes, interval)),
    toHistogram(
      'callDuration',
      measureCalls('callDuration', outcomes, ({ ms }) => ms, interval),
    ),
    toHistogram(
      'mintDuration',
      measureCalls('mintDuration', minted, ({ mintMs = 0 }) => mintMs, interval),
    ),
    toCounter('lost', lost > 0 ? [{ attributes: [], ...interval, asInt: String(lost) }] : []),
  ]
  const scopeMetrics = [{ scope: { name: 'gatepass' }, metrics: metrics.filter((metric) => metric !== undefined) }]
  return { resourceMetrics: [{ resource: { attributes: toTextAttributes(resource) }, scopeMetrics }] }
}

/**
 * Computes the interval from the end of the first call until now. A receiver that adds up intervals drops an interval that begins before
 * its first one, or ends no later than its last one. The ends of calls are in the order of batches, and their starts are not.
 */
function toInterval(outcomes: readonly CallOutcome[], now: number): Interval {
  const first = outcomes.reduce((least, { time, ms }) => Math.min(least, time + ms), now - 1)
  return { startTimeUnixNano: toNanoseconds(first), timeUnixNano: toNanoseconds(now) }
}

/** Converts milliseconds to nanoseconds. The number is a text, because a JavaScript number does not hold nanoseconds exactly. */
function toNanoseconds(ms: number): string {
  return `${ms}000000`
}

function toCallPoints(outcomes: readonly CallOutcome[], interval: Interval): CountPoint[] {
  return groupAlike(outcomes, metricTable.calls.by).map(({ attributes, outcomes: { length } }) => ({
    attributes,
    ...interval,
    asInt: String(length),
  }))
}

/** Groups outcomes by equal attributes, in the order of each group's first outcome. */
function groupAlike(outcomes: readonly CallOutcome[], by: readonly PointMember[]): OutcomeGroup[] {
  const groups = new Map<string, { attributes: OtlpAttribute[]; outcomes: CallOutcome[] }>()
  for (const outcome of outcomes) {
    const attributes = toPointAttributes(outcome, by)
    const key = JSON.stringify(attributes)
    const group = groups.get(key) ?? { attributes, outcomes: [] }
    group.outcomes.push(outcome)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/**
 * Derives the attributes of an outcome's point, by the names in {@link outcomeFields}. A failure also has its kind as `error.type`
 * (OpenTelemetry semantic conventions).
 */
function toPointAttributes(outcome: CallOutcome, by: readonly PointMember[]): OtlpAttribute[] {
  const attributes = by.flatMap((member) => {
    const value = outcome[member]
    return value === undefined ? [] : [{ key: outcomeFields[member].attribute, value: toValue(value) }]
  })
  const isFailure = outcome.outcome !== 'success' && by.includes('outcome')
  return isFailure ? [...attributes, { key: 'error.type', value: toValue(outcome.outcome) }] : attributes
}

function toCounter(key: MetricKey, dataPoints: readonly CountPoint[]): Metric | undefined {
  if (dataPoints.length === 0) return undefined
  return { ...toNames(key), sum: { isMonotonic: true, aggregationTemporality: 1, dataPoints } }
}

function measureCalls(
  key: MetricKey,
  outcomes: readonly CallOutcome[],
  measure: (outcome: CallOutcome) => number,
  interval: Interval,
): HistogramPoint[] {
  return groupAlike(outcomes, metricTable[key].by).map((group) => ({
    attributes: group.attributes,
    ...interval,
    ...toHistogramValues(group.outcomes.map(measure)),
  }))
}

/** Converts times in milliseconds to the values of a histogram's point, in seconds. */
function toHistogramValues(times: readonly number[]): Omit<HistogramPoint, keyof PointOrigin> {
  const counts = [...durationBounds, Infinity].map(() => 0)
  for (const ms of times) {
    const bucket = durationBounds.findIndex((bound) => ms <= bound * 1000)
    counts[bucket === -1 ? durationBounds.length : bucket]! += 1
  }
  return {
    count: String(times.length),
    sum: times.reduce((sum, ms) => sum + ms, 0) / 1000,
    bucketCounts: counts.map(String),
    explicitBounds: durationBounds,
  }
}

function toHistogram(key: MetricKey, dataPoints: readonly HistogramPoint[]): Metric | undefined {
  return dataPoints.length === 0 ? undefined : { ...toNames(key), histogram: { aggregationTemporality: 1, dataPoints } }
}

function toValue(value: string | number): OtlpAttribute['value'] {
  return typeof value === 'number' ? { intValue: String(value) } : { stringValue: value }
}

type Interval = Omit<PointOrigin, 'attributes'>

type MetricKey = keyof typeof metricTable

function toNames(key: MetricKey) {
  const { name, unit, description } = metricTable[key]
  return { name, unit, description }
}
