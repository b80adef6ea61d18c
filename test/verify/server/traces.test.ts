import { expect, onTestFinished, test, vi } from 'vitest'
import { createTracer } from '../../../src/verify/server/tracer.ts'
import { SpanSender, type TraceSpan } from '../../../src/verify/sinks/span-sender.ts'
import { createIdentity, start } from '../verifier/made-up-checks.ts'
import { createCheckClient } from './ask-check.ts'
import { startVerifierStage } from './verifier-stage.ts'

const local = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const
const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = '00f067aa0ba902b7'
const sampled = `00-${trace}-${parent}-01`

/** Starts a verifier whose spans are kept, over HTTP and gRPC. */
async function startTraced(namesSubject = false) {
  const spans: TraceSpan[] = []
  const sender = { add: (span: TraceSpan) => void spans.push(span), sent: () => 7, dropped: () => 2 }
  const tracer = createTracer({ sender, now: () => start, namesSubject })
  const stage = await startVerifierStage({ grpcListen: local, traces: { tracer, sender } })
  const { check } = createCheckClient(`127.0.0.1:${stage.grpcPort}`)
  const toHeaders = (token: string, more: object) => ({ ...(token && { authorization: `Bearer ${token}` }), ...more })
  const ask = {
    http: (token: string, more: object = {}) => fetch(stage.url, { headers: toHeaders(token, more) }),
    grpc: (token: string, more: object = {}) => check({ headers: toHeaders(token, more) }),
  }
  return { ...stage, spans, ask }
}

/** Returns a span without what differs each time. */
function toStable({ spanId, endTimeUnixNano, startTimeUnixNano, ...span }: TraceSpan) {
  const attributes = Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
  if (attributes['gatepass.request']) attributes['gatepass.request'] = 'req_…'
  const isInOrder = BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)
  return { ...span, attributes, isId: /^[\da-f]{16}$/.test(spanId), startTimeUnixNano, isInOrder }
}

test.each(['http', 'grpc'] as const)(
  'over %s, a decision is a span of the gateway’s trace, without a token or a person',
  async (form) => {
    const { ask, spans } = await startTraced()
    const state = { tracestate: 'a=1,b=2' }
    await ask[form]('a.b.c', { traceparent: sampled, ...state, 'x-request-id': 'edge-7' })
    await ask[form]('a.b.c', { traceparent: sampled })
    await ask[form]('a.refused-expired.c', { traceparent: sampled })
    await ask[form]('a.refused-keys-unavailable.c', { traceparent: sampled })
    const common = { isId: true, isInOrder: true, name: 'verify token', kind: 2, startTimeUnixNano: `${start}000000` }
    const ofGateway = { ...common, traceId: trace, parentSpanId: parent }
    const accepted = {
      'gatepass.outcome': 'accepted',
      'gatepass.rule': 'staff',
      'gatepass.token.kind': 'jwt',
      'gatepass.issuer.host': 'idp.example',
      'http.response.status_code': '200',
    }
    const refused = { 'gatepass.outcome': 'refused', 'gatepass.request': 'req_…' }
    expect(spans.map(toStable)).toEqual([
      {
        ...ofGateway,
        traceState: 'a=1,b=2',
        status: { code: 0 },
        attributes: { ...accepted, 'gatepass.gateway_request': 'edge-7' },
      },
      { ...ofGateway, attributes: accepted, status: { code: 0 } },
      {
        ...ofGateway,
        status: { code: 0 },
        attributes: { ...refused, 'gatepass.reason': 'expired', 'http.response.status_code': '401' },
      },
      {
        ...ofGateway,
        status: { code: 2 },
        attributes: {
          ...refused,
          'gatepass.reason': 'keys-unavailable',
          'http.response.status_code': '503',
          'error.type': 'keys-unavailable',
        },
      },
    ])
  },
)

test('a trace that the gateway does not record has no span', async () => {
  const { ask, spans } = await startTraced(true)
  await ask.http('a.b.c', { traceparent: `00-${trace}-${parent}-00` })
  await ask.grpc('a.b.c', { traceparent: `00-${trace}-${parent}-00` })
  expect(spans).toEqual([])
})

test('a request without a trace begins one', async () => {
  const { ask, spans } = await startTraced(true)
  await ask.http('a.b.c', { tracestate: 'a=1' })
  await ask.http('a.b.c')
  const [first, second] = spans
  const person = first?.attributes.find(({ key }) => key === 'enduser.id')?.value
  expect([first?.parentSpanId, first?.traceState, first?.traceId === second?.traceId, person]).toEqual([
    undefined,
    undefined,
    false,
    { stringValue: 'a-b-c' },
  ])
})

test('the spans that were sent and dropped are counted in the metrics', async () => {
  const { admin } = await startTraced(true)
  const metrics = await (await fetch(`${admin}/metrics`)).text()
  expect(metrics.match(/^gatepass_trace.*$/gm)).toEqual([
    'gatepass_trace_spans_sent_total 7',
    'gatepass_trace_spans_dropped_total 2',
  ])
})

const continued = [{ isOfGateway: true, parentSpanId: parent, traceState: undefined }]
const begun = [{ isOfGateway: false, parentSpanId: undefined, traceState: undefined }]

test.each<[what: string, headers: string[], expected: object[]]>([
  ['none', ['host', 'a'], begun],
  ['one', ['TraceParent', sampled], continued],
  ['not recorded', ['traceparent', sampled.replace(/1$/, '2')], []],
  ['two', ['traceparent', sampled, 'traceparent', sampled], begun],
  ['more fields than its version has', ['traceparent', `${sampled}-a`], begun],
  ['a later version with more fields', ['traceparent', `${sampled.replace(/^00/, '01')}-a`], continued],
  ['a malformed version', ['traceparent', sampled.replace(/^00/, 'ff')], begun],
  ['a trace of zeros', ['traceparent', `00-${'0'.repeat(32)}-${parent}-01`], begun],
  ['a parent of zeros', ['traceparent', `00-${trace}-${'0'.repeat(16)}-01`], begun],
  ['capitals', ['traceparent', sampled.toUpperCase()], begun],
  [
    'states in several lines',
    ['traceparent', sampled, 'tracestate', 'a=1', 'tracestate', 'b=2'],
    [{ ...continued[0], traceState: 'a=1,b=2' }],
  ],
  ['a state that is too long', ['traceparent', sampled, 'tracestate', 'a'.repeat(513)], continued],
])('a trace context in the headers of a request is continued, or another begun: %s', (_, rawHeaders, expected) => {
  const spans: TraceSpan[] = []
  const sender = { add: (span: TraceSpan) => void spans.push(span) }
  const tracer = createTracer({ sender, now: () => start, namesSubject: false })
  const question = { method: 'GET', url: '/', rawHeaders }
  tracer.begin(question)
  tracer.end({
    question,
    verdict: { outcome: 'accepted', identity: createIdentity('jwt', 'dana'), rule: 'staff', headers: {} },
  })
  const found = spans.map(({ traceId, parentSpanId, traceState }) => ({
    isOfGateway: traceId === trace,
    parentSpanId,
    traceState,
  }))
  expect(found).toEqual(expected)
})

test('the queue drops and counts what a slow or failing collector does not take', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const requests: number[] = []
  const reports: (string | undefined)[] = []
  let answer: () => Promise<Response> = async () => new Response('{}')
  const fetch: ConstructorParameters<typeof SpanSender>[0]['fetch'] = (_, { body }) => {
    requests.push(JSON.parse(String(body)).resourceSpans[0].scopeSpans[0].spans.length)
    return answer()
  }
  const sender = new SpanSender({
    url: 'https://otel.example/v1/traces',
    headers: [],
    fetch,
    report: (problem) => reports.push(problem),
  })
  const add = (count: number) => {
    for (let index = 0; index < count; index += 1) sender.add({} as TraceSpan)
  }
  add(3)
  await vi.advanceTimersByTimeAsync(1_000)
  expect([requests, sender.sent(), sender.dropped()]).toEqual([[3], 3, 0])

  answer = async () => new Response('', { status: 503 })
  add(1_000)
  await vi.advanceTimersByTimeAsync(1)
  add(2_000)
  expect([requests, sender.sent(), sender.dropped(), reports]).toEqual([[3, 512], 3, 952, ['it answers with HTTP 503']])

  answer = async () => new Response('{"partialSuccess":{"rejectedSpans":"12"}}')
  await vi.advanceTimersByTimeAsync(10_000)
  expect([requests, sender.sent(), sender.dropped(), reports.length]).toEqual([
    [3, 512, 512, 512, 512, 512],
    2_003,
    1_000,
    2,
  ])

  answer = async () => new Response('', { status: 400 })
  add(1)
  await sender.close()
  expect([requests.at(-1), sender.sent(), sender.dropped(), reports.at(-1)]).toEqual([
    1,
    2_003,
    1_001,
    'it answers with HTTP 400',
  ])
})
