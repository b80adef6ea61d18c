import { randomUUID } from 'node:crypto'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { createOtlpHeaders, type OtlpAttribute, parseOtlpAnswer, toTextAttributes } from '../../runtime/network/otlp.ts'
import { parseRetryAfter } from '../../runtime/network/retry-policy.ts'
import type { SecretHeader } from '../../runtime/secret.ts'
import { version } from '../../version.ts'
import type { AuditedService } from './otlp-audit.ts'

/** The limits of OpenTelemetry's batch processor (`maxQueueSize`, `maxExportBatchSize`). */
const [longestQueue, longestBatch] = [2_048, 512]

/**
 * In milliseconds: the time between batches that are not full, the pause after a failure, and the limits of one request and of the last
 * request.
 */
const [pauseMs, failurePauseMs, requestMs, closeMs] = [1_000, 5_000, 10_000, 2_000]

/** Sends spans to a collector from a bounded queue, without delaying the decisions. Only one request is pending at a time. */
export class SpanSender {
  readonly #collector: SpanCollector
  readonly #resource = {
    'service.name': 'gatepass-verifier' satisfies AuditedService,
    'service.version': version,
    'service.instance.id': randomUUID(),
  }
  readonly #queue: TraceSpan[] = []
  #sent = 0
  #dropped = 0
  #isFailing = false
  #isSending = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #dueAt = Number.POSITIVE_INFINITY

  constructor(collector: SpanCollector) {
    this.#collector = collector
  }

  add(span: TraceSpan): void {
    if (this.#queue.length >= longestQueue) {
      this.#dropped += 1
      return
    }
    this.#queue.push(span)
    // While the collector fails, its pause decides.
    if (!this.#isFailing && this.#queue.length >= longestBatch) this.#schedule(0)
    else if (this.#queue.length === 1) this.#schedule(this.#isFailing ? failurePauseMs : pauseMs)
  }

  /** The number of spans that the collector has accepted. */
  sent(): number {
    return this.#sent
  }

  /** The number of dropped spans: the queue was full, or the collector did not accept them. */
  dropped(): number {
    return this.#dropped
  }

  /** Sends the remaining spans within {@link closeMs}; the rest is dropped. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const end = performance.now() + closeMs
    while (this.#queue.length > 0 && performance.now() < end && !this.#isFailing)
      await this.#send(Math.ceil(end - performance.now()))
    this.#dropped += this.#queue.length
  }

  #schedule(ms: number): void {
    const due = performance.now() + ms
    if (this.#isSending || this.#isClosed || due >= this.#dueAt) return
    clearTimeout(this.#timer)
    this.#dueAt = due
    this.#timer = setTimeout(() => void this.#send(requestMs), ms).unref()
  }

  async #send(withinMs: number): Promise<void> {
    this.#dueAt = Number.POSITIVE_INFINITY
    if (this.#queue.length === 0) return
    const batch = this.#queue.splice(0, longestBatch)
    this.#isSending = true
    const answer = await sendBatch(this.#collector, JSON.stringify(toTraceRequest(batch, this.#resource)), withinMs)
    this.#isSending = false
    this.#applyAnswer(batch, answer)
    this.#tell(answer.state === 'taken' ? undefined : answer.words)
    if (this.#queue.length === 0) return
    if (answer.state === 'busy') this.#schedule(answer.pauseMs)
    else this.#schedule(this.#queue.length >= longestBatch ? 0 : pauseMs)
  }

  /** Counts the spans of a batch; those that a busy collector has not taken go back to the front of the queue. */
  #applyAnswer(batch: readonly TraceSpan[], answer: TraceAnswer): void {
    if (answer.state === 'busy' && !this.#isClosed) {
      const kept = batch.slice(0, longestQueue - this.#queue.length)
      this.#queue.unshift(...kept)
      this.#dropped += batch.length - kept.length
      return
    }
    const rejected = answer.state === 'taken' ? Math.min(answer.rejected, batch.length) : batch.length
    this.#dropped += rejected
    this.#sent += batch.length - rejected
  }

  #tell(problem: string | undefined): void {
    if (this.#isFailing !== (problem !== undefined)) this.#collector.report(problem)
    this.#isFailing = problem !== undefined
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
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(withinMs),
      headers: createOtlpHeaders(headers),
    })
    const pauseMs = parseRetryAfter(response.headers.get('retry-after'), Date.now())
    return parseTraceAnswer(response.status, await response.text(), pauseMs)
  } catch (cause) {
    const words = cause instanceof Error && cause.name !== 'TimeoutError' ? cause.message : 'it does not answer in time'
    return { state: 'busy', words, pauseMs: failurePauseMs }
  }
}

/** @param pauseMs The pause for which the answer asks. */
function parseTraceAnswer(status: number, body: string, pauseMs = 0): TraceAnswer {
  const answer = parseOtlpAnswer(status, body, 'rejectedSpans')
  if (answer.state === 'taken') return answer
  if (answer.state === 'foreign') return { state: 'refused', words: 'it does not answer as a collector does' }
  const words = `it answers with HTTP ${status}`
  if (answer.state === 'refused') return { state: 'refused', words }
  return { state: 'busy', words, pauseMs: Math.min(Math.max(pauseMs, failurePauseMs), longestPauseMs) }
}

/** The longest pause that a collector may request. */
const longestPauseMs = 60_000

/** Returns a request in the JSON form of OTLP (`ExportTraceServiceRequest`); pure. */
function toTraceRequest(spans: readonly TraceSpan[], resource: Readonly<Record<string, string>>) {
  const attributes = toTextAttributes(resource)
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
  readonly attributes: readonly OtlpAttribute[]
  readonly status: { readonly code: number }
}
