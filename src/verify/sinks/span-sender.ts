import { randomUUID } from 'node:crypto'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { isOtlpRetried, parseRetryAfter } from '../../runtime/network/retry-policy.ts'
import type { SecretHeader } from '../../runtime/secret.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { version } from '../../version.ts'

/** Sends spans to a collector without delaying the decisions. */
export interface SpanSender {
  add(span: TraceSpan): void
  /** The number of spans that the collector has accepted. */
  sent(): number
  /** The number of dropped spans: the queue was full, or the collector did not accept them. */
  dropped(): number
  /** Sends the remaining spans within {@link closeMs}; the rest is dropped. */
  close(): Promise<void>
}

/** The limits of OpenTelemetry's batch processor (`maxQueueSize`, `maxExportBatchSize`). */
const [longestQueue, longestBatch] = [2_048, 512]

/**
 * In milliseconds: the time between batches that are not full, the pause after a failure, and the limits of one request and of the last
 * request.
 */
const [pauseMs, failurePauseMs, requestMs, closeMs] = [1_000, 5_000, 10_000, 2_000]

/** Creates a sender with a bounded queue. Only one request is pending at a time. */
export function createSpanSender(collector: SpanCollector): SpanSender {
  const queue: TraceSpan[] = []
  const resource = {
    'service.name': 'gatepass-verifier',
    'service.version': version,
    'service.instance.id': randomUUID(),
  }
  let [sent, dropped, isFailing, isSending, isClosed] = [0, 0, false, false, false]
  let timer: NodeJS.Timeout | undefined
  let dueAt = Number.POSITIVE_INFINITY

  const schedule = (ms: number) => {
    const due = performance.now() + ms
    if (isSending || isClosed || due >= dueAt) return
    clearTimeout(timer)
    dueAt = due
    timer = setTimeout(() => void send(requestMs), ms).unref()
  }
  const tell = (problem: string | undefined) => {
    if (isFailing !== (problem !== undefined)) collector.report(problem)
    isFailing = problem !== undefined
  }
  const send = async (withinMs: number): Promise<void> => {
    dueAt = Number.POSITIVE_INFINITY
    if (queue.length === 0) return
    const batch = queue.splice(0, longestBatch)
    isSending = true
    const answer = await sendBatch(collector, JSON.stringify(toTraceRequest(batch, resource)), withinMs)
    isSending = false
    if (answer.state === 'busy' && !isClosed) {
      const kept = batch.slice(0, longestQueue - queue.length)
      queue.unshift(...kept)
      dropped += batch.length - kept.length
    } else {
      const rejected = answer.state === 'taken' ? Math.min(answer.rejected, batch.length) : batch.length
      dropped += rejected
      sent += batch.length - rejected
    }
    tell(answer.state === 'taken' ? undefined : answer.words)
    if (queue.length > 0)
      schedule(answer.state === 'busy' ? answer.pauseMs : queue.length >= longestBatch ? 0 : pauseMs)
  }
  return {
    add(span) {
      if (queue.length >= longestQueue) {
        dropped += 1
        return
      }
      queue.push(span)
      // While the collector fails, its pause decides.
      if (!isFailing && queue.length >= longestBatch) schedule(0)
      else if (queue.length === 1) schedule(isFailing ? failurePauseMs : pauseMs)
    },
    sent: () => sent,
    dropped: () => dropped,
    async close() {
      isClosed = true
      clearTimeout(timer)
      for (const end = performance.now() + closeMs; queue.length > 0 && performance.now() < end && !isFailing; )
        await send(Math.ceil(end - performance.now()))
      dropped += queue.length
    },
  }
}

/** The collector, and how to reach it. */
interface SpanCollector {
  /** The complete address, which ends with `/v1/traces`. */
  readonly url: string
  readonly headers: readonly SecretHeader[]
  readonly fetch: Fetch
  /** Receives the first failure after a success, and the first success after a failure (`undefined`). */
  readonly report: (problem: string | undefined) => void
}

type TraceAnswer =
  | { readonly state: 'taken'; readonly rejected: number }
  | { readonly state: 'refused'; readonly words: string }
  | { readonly state: 'busy'; readonly words: string; readonly pauseMs: number }

/** Sends one request. Never rejects. */
async function sendBatch({ url, headers, fetch }: SpanCollector, body: string, withinMs: number): Promise<TraceAnswer> {
  const sentHeaders = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value.reveal()]))
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(withinMs),
      headers: { ...sentHeaders, 'content-type': 'application/json' },
    })
    const pauseMs = parseRetryAfter(response.headers.get('retry-after'), Date.now())
    return parseTraceAnswer(response.status, await response.text(), pauseMs)
  } catch (cause) {
    const words = cause instanceof Error && cause.name !== 'TimeoutError' ? cause.message : 'it does not answer in time'
    return { state: 'busy', words, pauseMs: failurePauseMs }
  }
}

/**
 * Parses an answer by the OTLP specification; its text is not repeated.
 * @param pauseMs The pause for which it asks.
 */
function parseTraceAnswer(status: number, body: string, pauseMs: number | undefined): TraceAnswer {
  const words = `it answers with HTTP ${status}`
  if (isOtlpRetried(status)) return { state: 'busy', words, pauseMs: toPauseMs(pauseMs) }
  if (status < 200 || status > 299) return { state: 'refused', words }
  const { partialSuccess } = parseObject(body) ?? {}
  const { rejectedSpans } = Object(partialSuccess) as Record<string, unknown> // a string: protobuf's JSON form of 64-bit integers
  const rejected = Number(rejectedSpans ?? 0)
  return { state: 'taken', rejected: rejected > 0 ? rejected : 0 }
}

function toPauseMs(askedMs = 0): number {
  return Math.min(Math.max(askedMs, failurePauseMs), longestPauseMs)
}

/** The longest pause that a collector may request. */
const longestPauseMs = 60_000

/** A request in the JSON form of OTLP (`ExportTraceServiceRequest`); pure. */
function toTraceRequest(spans: readonly TraceSpan[], resource: Readonly<Record<string, string>>) {
  const attributes = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  return {
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'gatepass', version }, spans }] }],
  }
}

/** A span in the JSON form of OTLP: ids in hexadecimal, times as texts in nanoseconds since 1970. */
export interface TraceSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly SpanAttribute[]
  readonly status: { readonly code: number }
}

/** An attribute of a span in the JSON form of OTLP. */
export interface SpanAttribute {
  readonly key: string
  readonly value: { readonly stringValue: string } | { readonly intValue: string }
}
