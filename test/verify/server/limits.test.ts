import { expect, test } from 'vitest'
import { createRequestLimits } from '../../../src/verify/request-limits.ts'
import { createPolicy, start } from '../verifier/made-up-checks.ts'
import { createCheckClient } from './ask-check.ts'
import { startVerifierStage } from './verifier-stage.ts'

const rate = { requests: 6, everySec: 60, burst: 2 }
const local = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const

/** Starts a server with limits of callers and of addresses, whose clock stands still. */
function startStage() {
  const policy = { ...createPolicy(), limits: { callers: rate, addresses: rate } }
  return startVerifierStage({
    requestSource: { from: 'x-forwarded' },
    grpcListen: local,
    made: { policy: () => policy },
    limits: createRequestLimits({ policy: () => policy, now: () => start }),
  })
}

/** Asks as a gateway does, for a client with this address. */
async function ask(url: string, client: string, token?: string) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await fetch(url, { headers: { 'x-forwarded-for': client, ...authorization } })
  return answer.status
}

test('a caller passes as often as the policy says, and then gets 429 with Retry-After', async () => {
  const { url, asked } = await startStage()
  const statuses = [await ask(url, '203.0.113.1', 'a.b.c'), await ask(url, '203.0.113.2', 'a.b.c')]
  const answer = await fetch(url, { headers: { authorization: 'Bearer a.b.c' } })
  const { error } = (await answer.json()) as { error: object }
  expect({
    statuses,
    status: answer.status,
    headers: ['retry-after', 'gatepass-refusal', 'www-authenticate', 'cache-control'].map((name) =>
      answer.headers.get(name),
    ),
    error,
    other: await ask(url, '203.0.113.1', 'd.e.f'),
    asked,
  }).toEqual({
    statuses: [200, 200],
    status: 429,
    headers: ['10', 'too-many-requests', null, 'no-store'],
    error: {
      type: 'rate_limit_error',
      message: 'too many requests came: wait before the next one',
      reason: 'too-many-requests',
      detail: 'its owner may send 6 requests in 60 s, 2 at once',
    },
    other: 200,
    asked: ['a.b.c', 'd.e.f'],
  })
})

test('a flood of bad tokens costs its own address alone, and a known caller passes even from there', async () => {
  const { url, asked, lines } = await startStage()
  const known = await ask(url, '203.0.113.1', 'a.b.c')
  const flood = []
  for (let sent = 0; sent < 4; sent += 1) flood.push(await ask(url, '203.0.113.1', `a.refused-signature.${sent}`))
  expect({
    known,
    flood,
    anonymous: await ask(url, '203.0.113.1'),
    unknown: await ask(url, '203.0.113.1', 'd.e.f'),
    again: await ask(url, '203.0.113.1', 'a.b.c'),
    elsewhere: [await ask(url, '203.0.113.2'), await ask(url, '203.0.113.2', 'd.e.f')],
    untold: [await ask(url, 'unknown'), await ask(url, 'unknown'), await ask(url, 'unknown')],
    asked,
    notes: lines.flatMap((line) => JSON.parse(line).note ?? []).slice(0, 4),
  }).toEqual({
    known: 200,
    flood: [401, 401, 429, 429],
    anonymous: 429,
    unknown: 429,
    again: 200,
    elsewhere: [401, 200],
    untold: [401, 401, 401],
    asked: ['a.b.c', 'a.refused-signature.0', 'a.refused-signature.1', 'd.e.f'],
    notes: Array(4).fill('too many requests without a good token from its address'),
  })
})

test('a failure elsewhere does not count against an address', async () => {
  const { url } = await startStage()
  const statuses = []
  for (let sent = 0; sent < 4; sent += 1)
    statuses.push(await ask(url, '203.0.113.1', `a.refused-keys-unavailable.${sent}`))
  for (let sent = 0; sent < 4; sent += 1) statuses.push(await ask(url, '203.0.113.1', `a.stranger.${sent}`))
  expect(statuses).toEqual([503, 503, 503, 503, 403, 403, 403, 403])
})

test('over gRPC the address is the one that Envoy states beside the headers', async () => {
  const { grpcPort } = await startStage()
  const { check } = createCheckClient(`127.0.0.1:${grpcPort}`)
  const send = async (address: string, headers: Readonly<Record<string, string>>) => {
    const answer = await check({ headers }, 5_000, { address: { socketAddress: { address } } })
    if (!('deniedResponse' in answer)) return 200
    const { status, headers: sent } = answer.deniedResponse as {
      status: { code: number }
      headers: { header: { key: string; value: string } }[]
    }
    const retry = sent.find(({ header }) => header.key === 'retry-after')?.header.value
    return retry === undefined ? status.code : [status.code, retry]
  }
  const authorization = 'Bearer a.b.c'
  expect({
    anonymous: [
      await send('203.0.113.1', { 'x-forwarded-for': '203.0.113.7' }),
      await send('203.0.113.1', { 'x-forwarded-for': '203.0.113.8' }),
      await send('203.0.113.1', { 'x-forwarded-for': '203.0.113.9' }),
      await send('203.0.113.9', {}),
    ],
    caller: [
      await send('203.0.113.2', { authorization }),
      await send('203.0.113.2', { authorization }),
      await send('203.0.113.2', { authorization }),
    ],
  }).toEqual({ anonymous: [401, 401, [429, '10'], 401], caller: [200, 200, [429, '10']] })
})

test('introspection answers 429, which no gateway takes for a verdict, and the metrics count all of it', async () => {
  const { url, admin } = await startStage()
  for (let sent = 0; sent < 2; sent += 1) await ask(url, '203.0.113.1', 'a.b.c')
  for (let sent = 0; sent < 3; sent += 1) await ask(url, '203.0.113.1')
  const answer = await fetch(`${admin}/introspect`, { method: 'POST', body: new URLSearchParams({ token: 'a.b.c' }) })
  const metrics = await (await fetch(`${admin}/metrics`)).text()
  expect({
    status: answer.status,
    headers: ['retry-after', 'gatepass-refusal'].map((name) => answer.headers.get(name)),
    counted: metrics.match(/^gatepass_verifications_total.*too-many.*$/gm),
  }).toEqual({
    status: 429,
    headers: ['10', 'too-many-requests'],
    counted: [
      'gatepass_verifications_total{outcome="refused",reason="too-many-requests",rule="",kind="unknown",source="request"} 1',
      'gatepass_verifications_total{outcome="refused",reason="too-many-requests",rule="",kind="jwt",source="cache"} 1',
    ],
  })
})

test('a single-use token that comes too soon is not used up', async () => {
  const world = { now: start }
  const policy = { ...createPolicy(), limits: { callers: { ...rate, burst: 1 } } }
  const { url } = await startVerifierStage({
    made: { policy: () => policy, now: () => world.now },
    limits: createRequestLimits({ policy: () => policy, now: () => world.now }),
  })
  const [token, other] = ['a-.once-.1', 'a.once-.-1'] // of one owner
  const statuses = [await ask(url, '203.0.113.1', token), await ask(url, '203.0.113.1', other)]
  for (let sent = 0; sent < 2; sent += 1) {
    world.now += 10_000
    statuses.push(await ask(url, '203.0.113.1', other))
  }
  expect(statuses).toEqual([200, 429, 200, 401])
})
