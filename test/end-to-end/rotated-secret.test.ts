import { expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import type { ClientEvent } from '../../src/client/client-event.ts'
import { startClient } from '../../src/client/session/start-client.ts'
import { startGateway } from '../../src/gateway/start-gateway.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { startAwsStandIn } from '../stand-ins/aws/aws-stand-in.ts'

/** Returns a gateway that accepts one key at a time, a secret that holds it, and a client whose helper is the built one. */
async function setStage() {
  const home = await temporaryDirectory()
  const aws = await startAwsStandIn()
  onTestFinished(() => aws[Symbol.asyncDispose]())
  const accepted = { key: 'key-1' }
  const gateway = await startGateway({
    verify: (token) => (token === accepted.key ? { ok: true } : { ok: false, reason: 'this key was rotated' }),
  })
  onTestFinished(() => gateway.close())
  const { accessKeyId, secretAccessKey } = aws.addAccessKey({ arn: 'arn:aws:iam::111122223333:user/dev' })
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: 'eu-central-1' }
  const credential = {
    kind: 'helper-script',
    command: process.execPath,
    args: [toBundlePath('aws-secret'), '--secret', 'ai/key'],
    timeoutSec: 30,
  } as const
  const events: ClientEvent[] = []
  const client = startClient({
    document: { inference: { provider: 'gateway', baseUrl: gateway.url, credential } },
    env: { HOME: home, ...keys, ...aws.environment },
    platform: process.platform,
    now: Date.now,
    onEvent: (event) => events.push(event),
  })
  return { aws, client, events, accepted }
}

const inAnHour = new Date(Date.now() + 3_600_000).toISOString()

test.each([
  ['a secret that says when it ends', { expiresAt: inAnHour }],
  ['a secret that does not', {}],
])('a turn succeeds although %s is rotated under its client', async (_, end) => {
  const { aws, client, events, accepted } = await setStage()
  const store = (token: string) => aws.putSecret('ai/key', JSON.stringify({ token, ...end }))
  store(accepted.key)
  const session = await client.startSession()
  await session.sendTurn('Hello?')
  accepted.key = 'key-2'
  store(accepted.key)
  await session.sendTurn('And after the rotation?')
  const told = events.flatMap((event) => {
    if (event.type === 'helper-started') return [`helper runs (${event.context})`]
    if (event.type === 'request-answered') return [`HTTP ${event.status}`]
    return event.type === 'turn-succeeded' ? [`turn done after ${event.attempts}`] : []
  })
  expect(told).toEqual([
    'helper runs (interactive)',
    'HTTP 200',
    'turn done after 1',
    'HTTP 401',
    'helper runs (mid-session-refresh)',
    'HTTP 200',
    'turn done after 2',
  ])
})
