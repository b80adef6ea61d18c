import type { Deadline } from '../../runtime/deadline.ts'
import { HelperError } from '../../runtime/failure.ts'
import { fetchInTime } from '../../runtime/network/fetch-in-time.ts'
import { createOtlpHeaders, type OtlpAttribute, parseOtlpAnswer } from '../../runtime/network/otlp.ts'
import { parseRetryAfter } from '../../runtime/network/retry-policy.ts'
import type { NetworkSettings } from '../../runtime/network/settings.ts'
import type { SecretHeader } from '../../runtime/secret.ts'
import { PauseAskedError } from '../destination.ts'
import { toCollectorAddress } from './collector-address.ts'

/** A collector, and the settings for requests to it. */
export interface Collector {
  /** The base address, such as `https://collector.example:4318`. */
  readonly endpoint: string
  readonly network: NetworkSettings
  /** The headers that the collector requires, such as an API key. */
  readonly headers?: readonly SecretHeader[]
}

/**
 * Sends metrics over OTLP/HTTP. If the collector asks for a pause that is short enough, they are sent again.
 * @throws {HelperError} `refused` if they must not be sent again; {@link PauseAskedError} for a longer pause; otherwise the network's
 * own failure, or `unavailable`, `late`.
 */
export async function sendMetrics(
  request: MetricsRequest,
  { endpoint, network, headers = [] }: Collector,
  deadline: Deadline,
): Promise<void> {
  const url = toCollectorAddress(endpoint, 'metrics')
  const response = await fetchInTime(
    { deadline, network },
    { name: 'the collector', url, longestAttemptMs },
    { method: 'POST', headers: createOtlpHeaders(headers), body: JSON.stringify(request) },
  )
  const answer = parseMetricsAnswer(response.status, await response.text(), countPoints(request))
  if (answer.state === 'taken') return
  const message = `the collector ${new URL(url).host} ${answer.words}`
  if (answer.state === 'refused') throw new HelperError('refused', message, toHint(response.status, url))
  const pauseMs = parseRetryAfter(response.headers.get('retry-after'), Date.now())
  throw pauseMs === undefined
    ? new HelperError('unavailable', message, later)
    : new PauseAskedError(message, later, pauseMs)
}

/**
 * In milliseconds: the longest that one attempt may take. OpenTelemetry's exporters have the same default (OTLP Exporter specification,
 * `OTEL_EXPORTER_OTLP_TIMEOUT`).
 */
const longestAttemptMs = 10_000

/** The result of a request: `refused` must not be sent again, `busy` may be sent again later. */
type MetricsAnswer =
  | { readonly state: 'taken' }
  | {
      readonly state: 'refused' | 'busy'
      /** The end of a sentence whose subject is the collector. */
      readonly words: string
    }

/** Parses the answer to a request of this number of points. */
function parseMetricsAnswer(status: number, body: string, points: number): MetricsAnswer {
  const answer = parseOtlpAnswer(status, body, 'rejectedDataPoints')
  switch (answer.state) {
    case 'busy':
      return { state: 'busy', words: `cannot take metrics at the moment (HTTP ${status})` }
    case 'refused':
      return { state: 'refused', words: `refused the metrics (HTTP ${status})` }
    case 'foreign':
      return { state: 'refused', words: `answered with something else than OTLP (HTTP ${status})` }
    default:
      return answer.rejected < points
        ? { state: 'taken' }
        : { state: 'refused', words: 'rejected every point of the metrics' }
  }
}

const later = 'wait: they are sent again with a later token'

function countPoints({ resourceMetrics }: MetricsRequest): number {
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  return metrics
    .map((metric) => ('sum' in metric ? metric.sum : metric.histogram).dataPoints.length)
    .reduce((sum, count) => sum + count, 0)
}

function toHint(status: number, url: string): string {
  return status === 401 || status === 403
    ? 'correct the key in the file of otlp-headers-file'
    : `find out what answers at ${url}`
}

/**
 * A request of OTLP in its JSON form (`ExportMetricsServiceRequest` of the protocol definition), as far as we write it: whole
 * numbers of 64 bits are texts, moments are nanoseconds since 1970.
 */
export interface MetricsRequest {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeMetrics: readonly {
      readonly scope: { readonly name: string }
      readonly metrics: readonly Metric[]
    }[]
  }[]
}

/** A metric in OpenTelemetry's JSON encoding: a counter or a histogram. */
export type Metric = MetricNames &
  (
    | { readonly sum: { readonly isMonotonic: true; readonly dataPoints: readonly CountPoint[] } & Temporality }
    | { readonly histogram: { readonly dataPoints: readonly HistogramPoint[] } & Temporality }
  )

/** The texts of a metric for people. */
export interface MetricNames {
  readonly name: string
  readonly unit: string
  readonly description: string
}

/** The temporality of a metric. Each request counts only new calls (`AGGREGATION_TEMPORALITY_DELTA`), because no process of ours lasts. */
interface Temporality {
  readonly aggregationTemporality: 1
}

/** The attributes and the time of a point. */
export interface PointOrigin {
  readonly attributes: readonly OtlpAttribute[]
  readonly startTimeUnixNano: string
  readonly timeUnixNano: string
}

/** A point of a counter. Its number is a text, because JSON carries 64-bit integers as texts in OTLP. */
export interface CountPoint extends PointOrigin {
  readonly asInt: string
}

/** The point of a histogram, with the number of values between bounds: one count more than there are bounds. */
export interface HistogramPoint extends PointOrigin {
  readonly count: string
  readonly sum: number
  readonly bucketCounts: readonly string[]
  readonly explicitBounds: readonly number[]
}
