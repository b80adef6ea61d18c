import type { CallOutcome } from '../call-outcome.ts'
import type { OutcomeBatch } from '../destination.ts'
import { joinAlike } from './join-alike.ts'
import { metricTable } from './metric-table.ts'
import type { CountPoint, HistogramPoint, Metric, MetricsRequest, PointOrigin } from './metrics-request.ts'
import { toTextAttributes } from './point-attributes.ts'
import { toHistogramValues } from './to-histogram-values.ts'

/**
 * A batch as a request of OTLP. Metrics without points are left out.
 * @param now The moment of sending, which ends the interval that the points are about.
 */
export function toMetrics({ outcomes, lost, resource }: OutcomeBatch, now: number): MetricsRequest {
  const interval = toInterval(outcomes, now)
  const minted = outcomes.filter(({ mintMs }) => mintMs !== undefined)
  const metrics = [
    toCounter('calls', countCalls(outcomes, interval)),
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

type Interval = Omit<PointOrigin, 'attributes'>
type MetricKey = keyof typeof metricTable

/**
 * From the end of the first call until now. A receiver that adds up intervals drops one that begins before the first that it
 * knew, or ends no later than the last: ends of calls and moments of sending follow each other as batches do, starts do not.
 */
function toInterval(outcomes: readonly CallOutcome[], now: number): Interval {
  const first = outcomes.reduce((least, { time, ms }) => Math.min(least, time + ms), now - 1)
  return { startTimeUnixNano: toNanoseconds(first), timeUnixNano: toNanoseconds(now) }
}

/** As a text, because such a number is beyond what a number of JavaScript holds exactly. */
function toNanoseconds(ms: number): string {
  return `${ms}000000`
}

function countCalls(outcomes: readonly CallOutcome[], interval: Interval): CountPoint[] {
  return joinAlike(outcomes, metricTable.calls.by).map(({ attributes, outcomes: { length } }) => ({
    attributes,
    ...interval,
    asInt: String(length),
  }))
}

function measureCalls(
  key: MetricKey,
  outcomes: readonly CallOutcome[],
  measure: (outcome: CallOutcome) => number,
  interval: Interval,
): HistogramPoint[] {
  return joinAlike(outcomes, metricTable[key].by).map((group) => ({
    attributes: group.attributes,
    ...interval,
    ...toHistogramValues(group.outcomes.map(measure)),
  }))
}

function toCounter(key: MetricKey, dataPoints: readonly CountPoint[]): Metric | undefined {
  if (dataPoints.length === 0) return undefined
  return { ...toNames(key), sum: { isMonotonic: true, aggregationTemporality: 1, dataPoints } }
}

function toHistogram(key: MetricKey, dataPoints: readonly HistogramPoint[]): Metric | undefined {
  return dataPoints.length === 0 ? undefined : { ...toNames(key), histogram: { aggregationTemporality: 1, dataPoints } }
}

function toNames(key: MetricKey) {
  const { name, unit, description } = metricTable[key]
  return { name, unit, description }
}
