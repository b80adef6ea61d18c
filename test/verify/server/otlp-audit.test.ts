import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { createStreamFetch } from '../../../src/runtime/network/stream-fetch.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { openOtlpAudit, parseLogsAddress } from '../../../src/verify/sinks/otlp-audit.ts'

/** Starts a collector that answers by these statuses in turn, and then 200. */
async function startLogsCollector(...statuses: number[]) {
  const received: { path: string | undefined; key: unknown; bodies: string[] }[] = []
  const server = createServer(async (request, response) => {
    const { resourceLogs } = JSON.parse(await text(request))
    const bodies = resourceLogs[0].scopeLogs[0].logRecords.map(
      (each: { body: { stringValue: string } }) => each.body.stringValue,
    )
    received.push({ path: request.url, key: request.headers['api-key'], bodies })
    response.writeHead(statuses.shift() ?? 200).end('{}')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  return { received, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

type SinkParts = Parameters<typeof openOtlpAudit>[0]

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

async function openSink(base: string, given: Partial<SinkParts> = {}) {
  const troubles: string[] = []
  const sink = await openOtlpAudit({
    service: 'gatepass-verifier',
    url: parseLogsAddress(base),
    fetch: createStreamFetch({ network, silenceSec: 5 }),
    readHeaders: async () => [['Api-Key', new Secret('k')]],
    tellTrouble: (cause) => troubles.push(cause),
    ...given,
  })
  return { sink, troubles }
}

/** Writes lines for a collector that gives this answer first; gives its requests and what the sink says of it. */
async function writeLines(lines: readonly string[], { first = new Response('{}'), ...given }: WrittenAs = {}) {
  const requests: string[] = []
  const fetch: SinkParts['fetch'] = async (_, { body }) =>
    requests.push(String(body)) === 1 ? first : new Response('{}')
  const { sink, troubles } = await openSink('https://h', { ...given, fetch })
  for (const line of lines) sink.write(line)
  await sink.close()
  return { requests, lost: sink.lost(), troubles }
}

interface WrittenAs {
  readonly first?: Response
  readonly service?: SinkParts['service']
}

test('lines reach the collector once each, in their order, in one request where they come at the same time', async () => {
  const { received, base } = await startLogsCollector()
  const { sink, troubles } = await openSink(`${base}/tenant/`)
  for (const name of ['a', 'b', 'c']) sink.write(`{"time":1,"name":"${name}"}\n`)
  await sink.close()
  const bodies = ['a', 'b', 'c'].map((name) => `{"time":1,"name":"${name}"}`)
  const state = { isFailing: sink.isFailing(), lost: sink.lost(), troubles }
  expect({ received, ...state }).toEqual({
    received: [{ path: '/tenant/v1/logs', key: 'k', bodies }],
    isFailing: false,
    lost: 0,
    troubles: [],
  })
})

test('a collector that is busy gets the same lines again, and until then the audit fails', async () => {
  const { received, base } = await startLogsCollector(503, 429)
  const { sink, troubles } = await openSink(base)
  sink.write('{"time":1}\n')
  await expect.poll(() => sink.isFailing()).toBe(true)
  await expect.poll(() => sink.isFailing()).toBe(false)
  await sink.close()
  const { host } = new URL(base)
  expect({ bodies: received.map(({ bodies }) => bodies), lost: sink.lost(), troubles }).toEqual({
    bodies: [['{"time":1}'], ['{"time":1}'], ['{"time":1}']],
    lost: 0,
    troubles: [`${host} cannot take the audit now (HTTP 503)`, `${host} cannot take the audit now (HTTP 429)`],
  })
})

test('lines that a collector refuses are lost, counted and reported', async () => {
  const { base } = await startLogsCollector(400)
  const { sink, troubles } = await openSink(base)
  sink.write('{"time":1}\n')
  await expect.poll(() => sink.lost()).toBe(1)
  expect(sink.isFailing()).toBe(true)
  sink.write('{"time":2}\n')
  await sink.close()
  expect({ isFailing: sink.isFailing(), lost: sink.lost(), troubles }).toEqual({
    isFailing: false,
    lost: 1,
    troubles: [`${new URL(base).host} refuses the audit (HTTP 400)`],
  })
})

test('beyond 16 MiB that wait, new lines are lost', async () => {
  const { base } = await startLogsCollector(...Array<number>(100).fill(503))
  const { sink } = await openSink(base)
  for (let count = 0; count < 20; count += 1) sink.write(`{"text":"${'a'.repeat(1024 * 1024)}"}\n`)
  expect({ isFailing: sink.isFailing(), lost: sink.lost() }).toEqual({ isFailing: true, lost: 4 })
})

const [refuses, rejects] = ['h refuses the audit', 'h has rejected lines of the audit']
test.each<[string, number, string, requests: number, lost: number, troubles: string[]]>([
  ['an empty answer', 200, '', 1, 0, []],
  ['some lines rejected', 200, '{"partialSuccess":{"rejectedLogRecords":"2"}}', 1, 2, [rejects]],
  ['more rejected than sent', 200, '{"partialSuccess":{"rejectedLogRecords":9}}', 1, 3, [rejects]],
  ['a page of another server', 200, '<html>', 1, 3, [`${refuses} (HTTP 200)`]],
  ['a redirect', 302, '', 1, 3, [`${refuses} (HTTP 302)`]],
  ['a gateway in between', 502, '', 2, 0, ['h cannot take the audit now (HTTP 502)']],
])('reads %s', async (_, status, body, requests, lost, troubles) => {
  const written = await writeLines(Array(3).fill('{"time":1}\n'), { first: new Response(body, { status }) })
  expect({ ...written, requests: written.requests.length }).toEqual({ requests, lost, troubles })
})

test('a line is a log record with the facts of the decision as attributes', async () => {
  const facts = {
    time: 1_795_860_000_000,
    audit: 'decision',
    outcome: 'refused',
    reason: 'no-rule',
    client: '192.0.2.7',
  }
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const { requests } = await writeLines([`${JSON.stringify(facts)}\n`])
  expect(requests.map((text) => JSON.parse(text))).toEqual([
    {
      resourceLogs: [
        {
          resource: { attributes: [attribute('service.name', 'gatepass-verifier')] },
          scopeLogs: [
            {
              scope: { name: 'gatepass' },
              logRecords: [
                {
                  timeUnixNano: '1795860000000000000',
                  severityNumber: 13,
                  severityText: 'WARN',
                  eventName: 'gatepass.audit.decision',
                  body: { stringValue: JSON.stringify(facts) },
                  attributes: [
                    attribute('gatepass.audit.outcome', 'refused'),
                    attribute('gatepass.audit.reason', 'no-rule'),
                    attribute('client.address', '192.0.2.7'),
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  ])
})

test('a line of the configuration server has an event name of its own, and keeps a list', async () => {
  const line = JSON.stringify({ time: 1, bootstrap: 'answer', status: 200, groups: ['a', 'b'] })
  const { requests } = await writeLines([line], { service: 'gatepass-configuration-server' })
  const { resource, scopeLogs } = JSON.parse(requests[0]!).resourceLogs[0]
  expect({ resource, record: scopeLogs[0].logRecords[0] }).toEqual({
    resource: {
      attributes: [{ key: 'service.name', value: { stringValue: 'gatepass-configuration-server' } }],
    },
    record: {
      timeUnixNano: '1000000',
      severityNumber: 9,
      severityText: 'INFO',
      eventName: 'gatepass.bootstrap.answer',
      body: { stringValue: line },
      attributes: [
        { key: 'gatepass.audit.status', value: { stringValue: '200' } },
        {
          key: 'gatepass.audit.groups',
          value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } },
        },
      ],
    },
  })
})

test.each([
  '',
  'collector',
  'http://collector.example',
  'https://u:p@collector.example',
  'https://c.example/?key=k',
  'https://c.example/v1/logs',
])('refuses the address "%s" without repeating it', (base) => {
  expect(() => parseLogsAddress(base)).toThrow(
    new HelperError(
      'usage',
      'the address of the collector in --audit cannot be used',
      'write its base address, such as otlp:https://otel.example:4318, and a key into --audit-headers-file',
    ),
  )
})
