import { HelperError } from '../../runtime/failure.ts'
import { isSecureAddress, validateWebAddress } from '../../runtime/network/addresses.ts'
import { readBounded } from '../../runtime/network/bounded-body.ts'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { createOtlpHeaders, parseOtlpAnswer, toTextAttributes } from '../../runtime/network/otlp.ts'
import type { SecretHeader } from '../../runtime/secret.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { type AuditSink, describeSlowness, LosingSink, sinkBounds, type TellTrouble } from './audit-sinks.ts'

/** The word before the address of a collector in the option. */
export const otlpPrefix = 'otlp:'

/**
 * Adds the path of log records to a collector's base address, which is the form that OpenTelemetry programs take.
 * @throws {HelperError} `usage` for another address. The message does not repeat the address, because it may contain a password.
 */
export function parseLogsAddress(base: string): URL {
  const url = URL.parse(base)
  if (!url || !isSecureAddress(url) || validateWebAddress(url) || /[?#]/.test(base) || url.pathname.endsWith(logsPath))
    throw new HelperError(
      'usage',
      'the address of the collector in --audit cannot be used',
      `write its base address, such as ${otlpPrefix}https://otel.example:4318, and a key into --audit-headers-file`,
    )
  url.pathname = url.pathname.replace(/\/+$/, '') + logsPath
  return url
}

/** The path of log records below a collector's base address (OTLP specification, "OTLP/HTTP Request"). */
const logsPath = '/v1/logs'

/** The programs that have an audit, by their `service.name` in OpenTelemetry. */
export type AuditedService = 'gatepass-verifier' | 'gatepass-configuration-server'

/** The parts that {@link openOtlpAudit} needs. */
interface OtlpAuditParts {
  readonly url: URL
  readonly service: AuditedService
  /** The function must follow no redirect, like that of `createStreamFetch`. */
  readonly fetch: Fetch
  /** Reads the headers that the collector requires, such as an API key; `reopen` reads them again. */
  readonly readHeaders: () => Promise<readonly SecretHeader[]>
  /** Receives why lines wait or are lost, once for each series of equal causes. */
  readonly tellTrouble: TellTrouble
}

/**
 * Sends lines to an OpenTelemetry collector as log records, over OTLP/HTTP. Lines wait in memory, up to a limit, while the collector cannot
 * be reached or is busy; lines that it refuses are lost.
 * @throws {HelperError} for headers that cannot be read. A collector that cannot be reached is only reported.
 */
export async function openOtlpAudit(parts: OtlpAuditParts): Promise<AuditSink> {
  return new OtlpAudit(parts, await parts.readHeaders())
}

const otlpBounds = {
  /** The lines of one request: the default batch size of OpenTelemetry. */
  batchLines: 512,
  requestMs: 10_000,
  answerBytes: 64 * 1024,
  /** The pause after the first failed attempt; it doubles up to the longest. */
  firstPauseMs: 1_000,
  longestPauseMs: 30_000,
} as const

class OtlpAudit extends LosingSink implements AuditSink {
  readonly #parts: OtlpAuditParts
  #headers: readonly SecretHeader[]
  #queue: string[] = []
  #queuedBytes = 0
  #work: Promise<void> | undefined
  #endPause: (() => void) | undefined
  readonly #ending = new AbortController()

  constructor(parts: OtlpAuditParts, headers: readonly SecretHeader[]) {
    super(parts.tellTrouble)
    this.#parts = parts
    this.#headers = headers
  }

  write(line: string): void {
    if (this.#queuedBytes > sinkBounds.queueBytes) {
      this.lose(1, describeSlowness(this.#parts.url.host))
      return
    }
    this.#queue.push(line)
    this.#queuedBytes += line.length
    this.#work ??= this.#sendAll()
  }

  reopen(): void {
    this.#parts.readHeaders().then(
      (headers) => {
        this.#headers = headers
        this.#endPause?.()
      },
      (cause: unknown) => this.lose(0, cause instanceof Error ? cause.message : String(cause)),
    )
  }

  async close(): Promise<void> {
    this.#endPause?.()
    const timer = setTimeout(() => {
      this.#ending.abort()
      this.#endPause?.()
    }, sinkBounds.closeMs)
    await this.#work
    clearTimeout(timer)
    const { length } = this.#queue
    if (length > 0) this.lose(length, `${length} lines have not reached the collector`)
  }

  /** Sends one batch after another until the queue is empty. Each is repeated until the collector has accepted or refused it. */
  async #sendAll(): Promise<void> {
    let pauseMs: number = otlpBounds.firstPauseMs
    await Promise.resolve() // lets the lines of this tick join the batch
    while (this.#queue.length > 0 && !this.#ending.signal.aborted) {
      const batch = this.#queue.slice(0, otlpBounds.batchLines)
      const { state, words, lost = 0 } = await this.#send(batch)
      if (state === 'busy') {
        this.lose(0, words)
        await this.#pause(pauseMs)
        pauseMs = Math.min(pauseMs * 2, otlpBounds.longestPauseMs)
        continue
      }
      this.#queue.splice(0, batch.length)
      this.#queuedBytes -= batch.reduce((sum, { length }) => sum + length, 0)
      if (lost > 0) this.lose(lost, words)
      else this.recover()
      pauseMs = otlpBounds.firstPauseMs
    }
    // This runs in the tick in which the queue was found empty: a line that is written one microtask later starts the work again.
    this.#work = undefined
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #send(lines: readonly string[]): Promise<BatchResult> {
    const { url, service } = this.#parts
    try {
      const { status, body } = await this.#post(renderLogs(lines, service))
      return parseLogsAnswer(url.host, status, body, lines.length)
    } catch (cause) {
      return { state: 'busy', words: cause instanceof HelperError ? cause.message : `${url.host} does not answer` }
    }
  }

  async #post(body: string): Promise<{ readonly status: number; readonly body: string }> {
    const { url, fetch } = this.#parts
    const response = await fetch(url.href, {
      method: 'POST',
      headers: createOtlpHeaders(this.#headers),
      body,
      signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(otlpBounds.requestMs)]),
    })
    const bound = {
      bytes: otlpBounds.answerBytes,
      sec: otlpBounds.requestMs / 1000,
      hint: `check that the collector answers at ${url.href}`,
    }
    const answer = await readBounded(response, url.host, bound)
    return { status: response.status, body: answer.toString('utf8') }
  }
}

/** The result of one request. `busy` is tried again; if it is `taken`, the collector may still have refused some lines. */
interface BatchResult {
  readonly state: 'taken' | 'busy'
  readonly words: string
  readonly lost?: number
}

/** Parses the answer to a request with this number of lines. */
function parseLogsAnswer(host: string, status: number, body: string, lines: number): BatchResult {
  const answer = parseOtlpAnswer(status, body, 'rejectedLogRecords')
  if (answer.state === 'busy') return { state: 'busy', words: `${host} cannot take the audit now (HTTP ${status})` }
  if (answer.state !== 'taken')
    return { state: 'taken', words: `${host} refuses the audit (HTTP ${status})`, lost: lines }
  return { state: 'taken', words: `${host} has rejected lines of the audit`, lost: Math.min(answer.rejected, lines) }
}

/** Renders lines of the audit as a request with one log record each, whose body is the line; pure. */
function renderLogs(lines: readonly string[], service: AuditedService): string {
  const resource = { attributes: toTextAttributes({ 'service.name': service }) }
  const logRecords = lines.map(toLogRecord)
  return JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'gatepass' }, logRecords }] }] })
}

/** The kind of a line is in the member `audit` (verifier) or `bootstrap` (configuration server). */
function toLogRecord(line: string) {
  const { time, audit, bootstrap, ...facts } = parseObject(line) ?? {}
  const isRefused = facts.reason !== undefined
  return {
    timeUnixNano: `${Number(time)}000000`, // as a text, because a JavaScript number does not hold nanoseconds exactly
    ...(isRefused ? { severityNumber: 13, severityText: 'WARN' } : { severityNumber: 9, severityText: 'INFO' }),
    eventName: audit === undefined ? `gatepass.bootstrap.${String(bootstrap)}` : `gatepass.audit.${String(audit)}`,
    body: { stringValue: line.trimEnd() },
    attributes: Object.entries(facts).map(([name, value]) => ({
      key: attributeNames[name] ?? `gatepass.audit.${name}`,
      value: toAttributeValue(value),
    })),
  }
}

function toAttributeValue(value: unknown): object {
  if (!Array.isArray(value)) return { stringValue: String(value) }
  return { arrayValue: { values: value.map((each) => ({ stringValue: String(each) })) } }
}

/** The names of our members in OpenTelemetry's semantic conventions. */
const attributeNames: Readonly<Record<string, string>> = {
  client: 'client.address',
  method: 'http.request.method',
  host: 'server.address',
  route: 'url.path',
}
