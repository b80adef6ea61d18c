import type { Deadline } from '../../deadline.ts'
import { HelperError } from '../../failure.ts'
import { fetchInTime } from '../../network/fetch/fetch-in-time.ts'
import { parseRetryAfter } from '../../network/fetch/retry-policy.ts'
import type { NetworkSettings } from '../../network/settings.ts'
import type { Secret } from '../../secret.ts'
import { PauseAskedError } from '../destination.ts'
import { toMetricsAddress } from './metrics-address.ts'
import type { MetricsRequest } from './metrics-request.ts'
import { parseMetricsAnswer } from './parse-metrics-answer.ts'

/** A collector, and how it is reached. */
export interface Collector {
  /** Its base address, such as `https://collector.example:4318`. */
  readonly endpoint: string
  readonly network: NetworkSettings
  /** What it asks of its senders, such as an API key. */
  readonly headers?: readonly (readonly [name: string, value: Secret])[]
}

/** The longest that one attempt may take, in milliseconds: the default of OpenTelemetry's exporters. */
const longestAttemptMs = 10_000

/**
 * Sends metrics over OTLP/HTTP. Where the collector asks for a pause that is short enough, they are sent again.
 * @throws {HelperError} `refused` where they must not be sent again; {@link PauseAskedError} for a longer pause; otherwise what
 * the network says, or `unavailable`, `late`.
 */
export async function sendMetrics(
  request: MetricsRequest,
  { endpoint, network, headers = [] }: Collector,
  deadline: Deadline,
): Promise<void> {
  const url = toMetricsAddress(endpoint)
  const response = await fetchInTime(
    { deadline, network },
    { name: 'the collector', url, longestAttemptMs },
    { method: 'POST', headers: toHeaders(headers), body: JSON.stringify(request) },
  )
  const answer = parseMetricsAnswer(response.status, await response.text(), countPoints(request))
  if (answer.state === 'taken') return
  const message = `the collector ${new URL(url).host} ${answer.words}`
  if (answer.state === 'refused') throw new HelperError('refused', message, toHint(response.status, url))
  const pauseMs = parseRetryAfter(response.headers.get('retry-after'))
  throw pauseMs === undefined
    ? new HelperError('unavailable', message, later)
    : new PauseAskedError(message, later, pauseMs)
}

const later = 'wait: they are sent again with a later token'

function toHint(status: number, url: string): string {
  return status === 401 || status === 403
    ? 'correct the key in the file of otlp-headers-file'
    : `find out what answers at ${url}`
}

function toHeaders(headers: NonNullable<Collector['headers']>): Record<string, string> {
  const asked = headers.map(([name, value]) => [name.toLowerCase(), value.reveal()])
  return { ...Object.fromEntries(asked), 'content-type': 'application/json' }
}

function countPoints({ resourceMetrics }: MetricsRequest): number {
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  return metrics
    .map((metric) => ('sum' in metric ? metric.sum : metric.histogram).dataPoints.length)
    .reduce((sum, count) => sum + count, 0)
}
