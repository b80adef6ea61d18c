import { expect, test } from 'vitest'
import { type ClientEvent, createServedSource, startClient } from '../../src/library/client.ts'
import { createToken, startBootstrapStage } from '../bootstrap/serve/bootstrap-stage.ts'

const nine = Date.parse('2026-03-02T09:00:00Z')
const minute = 60_000

test('a client of the library takes the document of a configuration server', async () => {
  const stage = await startBootstrapStage()
  const inference = { provider: 'gateway', baseUrl: 'https://gateway.example.com' }
  const publish = (team: string, serial: number) =>
    stage.publish(
      { counter: serial, documents: { '': { inference: { ...inference, customHeaders: { 'x-team': team } } } } },
      { serial },
    )
  await publish('red', 1)
  let now = nine
  const setup = { env: {}, platform: process.platform, now: () => now }
  const authorization = `Bearer ${createToken({ sub: 'dana' })}`
  const server = createServedSource({
    ...setup,
    url: `http://127.0.0.1:${stage.port}/bootstrap`,
    signIn: { kind: 'headers', headers: { authorization } },
    authentication: 'external-idp',
    fetch,
  })
  const events: ClientEvent[] = []
  const client = startClient({
    ...setup,
    document: {},
    server: { ...server, isDeliveryTrusted: true },
    onEvent: (event) => events.push(event),
  })
  await client.wake()
  await publish('blue', 2)
  now = client.dueAt()
  await client.wake()
  const started = { type: 'document-served', cause: 'launch', status: 200, change: 'in use from now on' }
  expect(events.map(({ at, ...event }) => [at - nine, event])).toEqual([
    [0, started],
    [
      0,
      {
        type: 'document-read',
        changes: [
          'inference.provider',
          'inference.baseUrl',
          'inference.streamIdleTimeoutSec',
          'inference.customHeaders',
        ],
      },
    ],
    [30 * minute, { type: 'document-served', cause: 'background', status: 200, change: 'after a restart' }],
    [30 * minute, { type: 'restart-asked', changes: ['inference.customHeaders'], enforcedAt: nine + 90 * minute }],
    [30 * minute, { type: 'relaunched', by: 'the client itself' }], // nobody uses it
    [30 * minute, started],
    [30 * minute, { type: 'document-read', changes: ['inference.customHeaders'] }],
  ])
})
