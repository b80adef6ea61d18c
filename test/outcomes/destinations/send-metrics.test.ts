import { expect, test } from 'vitest'
import { PauseAskedError } from '../../../src/outcomes/destination.ts'
import { createOtlpDestination, toMetrics } from '../../../src/outcomes/destinations/otlp-destination.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { cachedOutcome } from '../../setup/cached-outcome.ts'
import { startCollector } from '../../stand-ins/collector/collector.ts'
import { startMuteServer } from '../../stand-ins/deaf-servers.ts'

const batch = { outcomes: [cachedOutcome], lost: 0, resource: { 'host.name': 'desk' } }
const now = 1_790_000_060_000
const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

/** Sends one call. @returns `taken`, or how it failed. */
async function send(endpoint: string, seconds = 20, headers: [string, Secret][] = []): Promise<string> {
  const begin = Date.now()
  const within = new Deadline({ seconds, hint: 'wait' }, { elapsedMs: () => Date.now() - begin })
  const collector = { endpoint, network, headers }
  const destination = createOtlpDestination(async () => collector, { now: () => now })
  return destination.send(batch, within).then(
    () => 'taken',
    ({ kind, message }: HelperError) => `${kind}: ${message}`,
  )
}

test.each([
  ['', '/v1/metrics'],
  ['/', '/v1/metrics'],
  ['/otlp', '/otlp/v1/metrics'],
  ['/otlp/', '/otlp/v1/metrics'],
])('metrics are posted as JSON below the address of the collector, which ends with "%s"', async (path, asked) => {
  const { endpoint, received } = await startCollector()
  expect({ outcome: await send(`${endpoint}${path}`), received }).toEqual({
    outcome: 'taken',
    received: [
      { request: `POST ${asked}`, contentType: 'application/json', body: JSON.stringify(toMetrics(batch, now)) },
    ],
  })
})

test.each([
  ['nothing', 200, '', 'taken'],
  ['a warning', 200, '{"partialSuccess":{"errorMessage":"use gzip"}}', 'taken'],
  ['one point of two that was rejected', 200, '{"partialSuccess":{"rejectedDataPoints":"1"}}', 'taken'],
  [
    'that all were rejected',
    200,
    '{"partialSuccess":{"rejectedDataPoints":"2"}}',
    'refused: HOST rejected every point of the metrics',
  ],
  [
    'the same as a number',
    200,
    '{"partialSuccess":{"rejectedDataPoints":2}}',
    'refused: HOST rejected every point of the metrics',
  ],
  ['a page for a person', 200, '<html>', 'refused: HOST answered with something else than OTLP (HTTP 200)'],
  ['that the request is bad', 400, '{"code":3}', 'refused: HOST refused the metrics (HTTP 400)'],
  ['that nobody is allowed', 401, '', 'refused: HOST refused the metrics (HTTP 401)'],
  ['an error', 500, '', 'refused: HOST refused the metrics (HTTP 500)'],
  ['that what is behind it is away', 502, '', 'unavailable: HOST cannot take metrics at the moment (HTTP 502)'],
  ['that it is overloaded', 503, '', 'unavailable: HOST cannot take metrics at the moment (HTTP 503)'],
  ['that what is behind it is slow', 504, '', 'unavailable: HOST cannot take metrics at the moment (HTTP 504)'],
])('a collector may answer %s (%i)', async (_, status, body, outcome) => {
  const { endpoint, received, port } = await startCollector((response) => response.writeHead(status).end(body))
  const expected = outcome.replace('HOST', `the collector 127.0.0.1:${port}`)
  expect([await send(endpoint), received.length]).toEqual([expected, 1])
})

test('a collector that asks for a pause is asked again after it', async () => {
  const { endpoint, received } = await startCollector(
    (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
    (response) => response.end('{}'),
  )
  expect([await send(endpoint), received.length]).toEqual(['taken', 2])
})

test('a pause that is longer than the time is left to the next sending', async () => {
  const { endpoint, received, port } = await startCollector((response) =>
    response.writeHead(429, { 'retry-after': '60' }).end(),
  )
  const within = new Deadline({ seconds: 20, hint: 'wait' }, { elapsedMs: () => 0 })
  const sending = createOtlpDestination(async () => ({ endpoint, network }), { now: () => now })
  const message = `the collector 127.0.0.1:${port} cannot take metrics at the moment (HTTP 429)`
  await expect(sending.send(batch, within)).rejects.toEqual(
    new PauseAskedError(message, 'wait: they are sent again with a later token', 60_000),
  )
  expect(received).toHaveLength(1)
})

test.each([
  [401, () => 'correct the key in the file of otlp-headers-file'],
  [403, () => 'correct the key in the file of otlp-headers-file'],
  [404, (endpoint: string) => `find out what answers at ${endpoint}/v1/metrics`],
])('a collector that refuses with %i leaves a hint', async (status, hint) => {
  const { endpoint, port } = await startCollector((response) => response.writeHead(status).end())
  const within = new Deadline({ seconds: 20, hint: 'wait' }, { elapsedMs: () => 0 })
  const sending = createOtlpDestination(async () => ({ endpoint, network }), { now: () => now })
  const message = `the collector 127.0.0.1:${port} refused the metrics (HTTP ${status})`
  await expect(sending.send(batch, within)).rejects.toEqual(new HelperError('refused', message, hint(endpoint)))
})

test('a header that the collector asks for is sent, and none takes the place of the type', async () => {
  const { endpoint, received } = await startCollector()
  const headers: [string, Secret][] = [
    ['API-Key', new Secret('k-1')],
    ['Content-Type', new Secret('text/plain')],
  ]
  expect(await send(endpoint, 20, headers)).toBe('taken')
  const body = JSON.stringify(toMetrics(batch, now))
  expect(received).toEqual([{ request: 'POST /v1/metrics', apiKey: 'k-1', contentType: 'application/json', body }])
})

test('a redirect is not followed', async () => {
  const other = await startCollector()
  const { endpoint, port } = await startCollector((response) =>
    response.writeHead(307, { location: `${other.endpoint}/v1/metrics` }).end(),
  )
  expect({ outcome: await send(endpoint), received: other.received }).toEqual({
    outcome: `refused: the collector 127.0.0.1:${port} refused the metrics (HTTP 307)`,
    received: [],
  })
})

test('an endless answer is given up', async () => {
  const { endpoint, port } = await startCollector((response) => {
    response.writeHead(200)
    const flood = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    flood()
    response.on('drain', flood)
  })
  expect(await send(endpoint)).toBe(`unavailable: 127.0.0.1:${port} answered with more than 1024 KiB`)
})

test('a silent collector is given up when the time is over', async () => {
  const port = await startMuteServer()
  const begin = Date.now()
  expect(await send(`http://127.0.0.1:${port}`, 0.3)).toBe(
    `late: the collector (waiting for 127.0.0.1:${port} to answer) took longer than the 0.3 s of this call`,
  )
  expect(Date.now() - begin).toBeLessThan(30_000)
})

test('a collector that sends its answer drop by drop is given up when the time is over', async () => {
  const { endpoint, port } = await startCollector((response) => {
    response.writeHead(200).write(' ')
    const timer = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(timer))
  })
  expect(await send(endpoint, 0.5)).toBe(
    `late: the collector (reading the answer of 127.0.0.1:${port}) took longer than the 0.5 s of this call`,
  )
})

test.each([
  ['no address', 'collector', 'expected an address that begins with https://'],
  ['another protocol', 'grpc://collector:4317', 'expected an address that begins with https://'],
  ['a password', 'https://me:word@collector.example', 'a user or a password in it would be in every log'],
  ['a query', 'https://collector.example/?key=word', 'expected an address without ? and #'],
  ['the mark of one', 'https://collector.example?', 'expected an address without ? and #'],
  ['a fragment', 'https://collector.example/#word', 'expected an address without ? and #'],
  ['the path of metrics', 'https://collector.example/v1/metrics/', 'it ends with /v1/metrics, which is added to it'],
  [
    'a collector elsewhere over plain http',
    'http://collector.example:4318',
    'collector.example would be asked over plain http, which anybody on the network can read',
  ],
])('%s is not sent to', async (_, endpoint, message) => {
  expect(await send(endpoint)).toBe(`not-configured: ${message}`)
})
