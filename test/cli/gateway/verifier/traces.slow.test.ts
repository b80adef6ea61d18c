import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { version } from '../../../../src/version.ts'
import { waitUntil } from '../../../setup/wait-until.ts'
import { startCollector } from '../../../stand-ins/collector/collector.ts'
import { createCheckClient } from '../../../verify/server/ask-check.ts'
import { runGatepass } from '../../run-gatepass.ts'
import { startIssuerWithPolicy, startVerifierProcess } from './verifier-process.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${trace}-00f067aa0ba902b7-01`

interface SentSpan {
  readonly traceId: string
  readonly traceState?: string
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
}

test('spans of decisions over HTTP and gRPC reach a collector, also those of the last second', async () => {
  const { policy, token, directory } = await startIssuerWithPolicy()
  const collector = await startCollector()
  const headers = join(directory, 'headers')
  await writeFile(headers, 'Api-Key: s3cret\n', { mode: 0o600 })
  const verifier = await startVerifierProcess(
    ...['--policy', policy, '--listen', '127.0.0.1:0', '--grpc-listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0'],
    ...['--traces', collector.endpoint, '--traces-headers-file', headers],
  )
  const { listen, grpc, admin } = verifier.addresses as { listen: string; grpc: string; admin: string }
  const asked = { authorization: `Bearer ${token}`, traceparent, tracestate: 'edge=1' }
  const { status: answered } = await fetch(listen, { headers: asked })
  await createCheckClient(grpc.replace('http://', '')).check({ headers: asked })
  const readCounters = async () => (await (await fetch(`${admin}/metrics`)).text()).match(/^gatepass_trace.*$/gm)
  await expect.poll(readCounters).toEqual(['gatepass_trace_spans_sent_total 2', 'gatepass_trace_spans_dropped_total 0'])
  await fetch(listen, { headers: { ...asked, authorization: 'Bearer wrong' } })
  verifier.signal('SIGTERM')
  const { status } = await verifier.ended

  const { received } = collector
  const { resource, scopeSpans } = JSON.parse(received[0]!.body).resourceSpans[0]
  const spans: SentSpan[] = received.flatMap(({ body }) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans)
  const find = (span: SentSpan, key: string) =>
    Object.values(span.attributes.find((attribute) => attribute.key === key)?.value ?? {})[0]
  expect({
    answered,
    status,
    received: received.map(({ request, apiKey }) => [request, apiKey]),
    service: resource.attributes.slice(0, 2).map(({ value }: { value: object }) => Object.values(value)[0]),
    scope: scopeSpans[0].scope.name,
    spans: spans.map((span) => [
      ...[span.traceId, span.traceState, find(span, 'gatepass.rule'), find(span, 'gatepass.reason')],
    ]),
  }).toEqual({
    answered: 200,
    status: 0,
    received: Array(2).fill(['POST /v1/traces', 's3cret']),
    service: ['gatepass-verifier', version],
    scope: 'gatepass',
    spans: [
      [trace, 'edge=1', 'people', undefined],
      [trace, 'edge=1', 'people', undefined],
      [trace, 'edge=1', undefined, 'unknown-kind'],
    ],
  })
  const bodies = received.map(({ body }) => body).join()
  expect([bodies.includes(token), bodies.includes('dana')]).toEqual([false, false])
})

test('a collector that does not answer delays no decision, and is logged once', async () => {
  const { policy, token } = await startIssuerWithPolicy()
  const collector = await startCollector((response) => response.writeHead(503).end())
  const verifier = await startVerifierProcess(
    ...['--policy', policy, '--listen', '127.0.0.1:0', '--traces', collector.endpoint],
  )
  const headers = { authorization: `Bearer ${token}` }
  const answers = [(await fetch(verifier.addresses.listen, { headers })).status]
  await waitUntil('it is logged', () => verifier.log().some(({ event }) => event === 'traces'))
  answers.push((await fetch(verifier.addresses.listen, { headers })).status)
  verifier.signal('SIGTERM')
  const { status } = await verifier.ended
  expect({ answers, status, told: verifier.log().filter(({ event }) => event === 'traces') }).toEqual({
    answers: [200, 200],
    status: 0,
    told: [
      {
        time: expect.any(String),
        level: 'warning',
        event: 'traces',
        message: `the collector 127.0.0.1:${collector.port} takes no spans: it answers with HTTP 503`,
      },
    ],
  })
})

test.each<[what: string, argv: string[], status: number, stderr: string]>([
  [
    'flags without a collector',
    ['--traces-subject'],
    2,
    'gatepass: --traces-subject needs --traces\ngatepass: hint: name the collector with --traces\n',
  ],
  [
    'an address that anybody could listen to',
    ['--traces', 'http://otel.example:4318'],
    3,
    'gatepass: otel.example would be asked over plain http, which anybody on the network can read\ngatepass: hint: write https:// into --traces\n',
  ],
  [
    'a missing file',
    ['--traces', 'https://otel.example', '--traces-headers-file', '/nowhere'],
    3,
    'gatepass: cannot read /nowhere (ENOENT)\ngatepass: hint: correct --traces-headers-file\n',
  ],
])('the verifier does not start with %s', async (_, argv, status, stderr) => {
  const { policy } = await startIssuerWithPolicy()
  const outcome = await runGatepass('gateway', 'verifier', '--policy', policy, '--log', 'text', ...argv)
  const said = outcome.stderr.split('\n').filter((line) => line.startsWith('gatepass: '))
  expect({ ...outcome, stderr: said.map((line) => `${line}\n`).join('') }).toEqual({ status, stdout: '', stderr })
})
