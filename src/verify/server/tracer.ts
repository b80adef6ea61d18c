import { randomBytes } from 'node:crypto'
import { refusalReasons } from '../../contract/refusal-reasons.ts'
import type { OtlpAttribute } from '../../runtime/network/otlp.ts'
import type { SpanSender, TraceSpan } from '../sinks/span-sender.ts'
import { longestStatedText } from './decision-audit.ts'
import type { GatewayQuestion } from './to-request-facts.ts'
import type { AnsweredRequest } from './verifier-listener.ts'

/** Creates a span for each decision. */
export interface Tracer {
  /** Records when a request from a gateway has arrived. */
  begin(question: GatewayQuestion): void
  /** Ends the span of a request when it is answered. */
  end(answered: AnsweredRequest): void
}

/**
 * Creates a tracer that continues the gateway's trace, or begins one if the request has no trace. A trace that the gateway does not sample gets no
 * span (W3C Trace Context, the sampled flag).
 */
export function createTracer({ sender, now, namesSubject, tenant }: TracerParts): Tracer {
  const open = new WeakMap<GatewayQuestion, OpenSpan>()
  return {
    begin(question) {
      const context = findTraceContext(question.rawHeaders)
      if (context?.isSampled === false) return
      open.set(question, { context, at: now(), mark: performance.now() })
    },
    end(answered) {
      const started = answered.question && open.get(answered.question)
      if (!started) return
      const owner = namesSubject ? 'with-subject' : 'without-subject'
      sender.add(createSpan(started, performance.now() - started.mark, answered, { owner, tenant }))
    },
  }
}

/** The trace of a request (W3C Trace Context, level 1). */
interface TraceContext {
  readonly traceId: string
  /** The id of the gateway's span. */
  readonly parentId: string
  readonly isSampled: boolean
  /** The value of `tracestate`: entries of other tracing systems. */
  readonly state: string | undefined
}

interface TracerParts {
  readonly sender: Pick<SpanSender, 'add'>
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Whether spans name the owner of the token. */
  readonly namesSubject: boolean
  /** The tenant of the decisions; absent without tenants. */
  readonly tenant?: string | undefined
}

/** A decision that is not finished yet. */
interface OpenSpan {
  readonly context: TraceContext | undefined
  readonly at: number
  readonly mark: number
}

/** Finds the trace context in the headers of a request; `undefined` if it is missing, repeated or malformed; pure. */
function findTraceContext(rawHeaders: readonly string[]): TraceContext | undefined {
  const parents = listValues(rawHeaders, 'traceparent')
  const [, version, traceId = '', parentId = '', flags = '', more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(parents[0] ?? '') ?? []
  // A later version may have more fields. The version `ff` and ids of zeros are invalid (W3C Trace Context, sections 3.2.2.1 to 3.2.2.4).
  const isVersion = version === '00' ? more === undefined : version !== undefined && version !== 'ff'
  if (parents.length !== 1 || !isVersion || /^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  const state = listValues(rawHeaders, 'tracestate').join(',')
  const isKept = /^[\x20-\x7e]{1,512}$/.test(state)
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, state: isKept ? state : undefined }
}

function listValues(rawHeaders: readonly string[], wanted: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === wanted)
}

/** Creates the span of a decision, without a token, a claim or a path, and with new ids. */
function createSpan(
  { context, at }: OpenSpan,
  ms: number,
  { verdict, requestId, gatewayRequestId }: AnsweredRequest,
  { owner, tenant }: { readonly owner: 'with-subject' | 'without-subject'; readonly tenant: string | undefined },
): TraceSpan {
  const { outcome, identity } = verdict
  const reason = outcome === 'accepted' ? undefined : verdict.refusal.reason
  const status = reason === undefined ? 200 : refusalReasons[reason].status
  const startUs = Math.round(at * 1000)
  const texts = {
    'gatepass.tenant': tenant,
    'gatepass.outcome': outcome,
    'gatepass.rule': outcome === 'accepted' ? verdict.rule : undefined,
    'gatepass.reason': reason,
    'gatepass.token.kind': identity?.kind,
    'gatepass.issuer.host': identity && (URL.parse(identity.issuer)?.host ?? identity.issuer),
    'gatepass.request': requestId,
    'gatepass.gateway_request': gatewayRequestId,
    'enduser.id': owner === 'with-subject' ? identity?.subject : undefined,
    // The attribute `error.type` of OpenTelemetry's semantic conventions.
    'error.type': status >= 500 ? reason : undefined,
  }
  const attributes = Object.entries(texts).flatMap(([key, text]): OtlpAttribute[] =>
    text === undefined ? [] : [{ key, value: { stringValue: text.slice(0, longestStatedText) } }],
  )
  return {
    traceId: context?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    ...(context && { parentSpanId: context.parentId }),
    ...(context?.state !== undefined && { traceState: context.state }),
    name: 'verify token',
    kind: 2, // SPAN_KIND_SERVER of OTLP
    startTimeUnixNano: `${startUs}000`,
    endTimeUnixNano: `${startUs + Math.round(ms * 1000)}000`,
    attributes: [...attributes, { key: 'http.response.status_code', value: { intValue: String(status) } }],
    // A refusal is not an error of the verifier: 0 is unset, 2 is an error (OTLP, `Status.StatusCode`).
    status: { code: status >= 500 ? 2 : 0 },
  }
}
