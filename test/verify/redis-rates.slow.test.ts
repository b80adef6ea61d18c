import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openRedisRates, redisRateWaitMs } from '../../src/verify/redis-rates.ts'
import type { ReplayStoreReport } from '../../src/verify/replay/memory-replay-store.ts'
import { parseRedisAddress } from '../../src/verify/replay/redis-address.ts'
import { createRequestLimits } from '../../src/verify/request-limits.ts'
import { startRedis } from '../stand-ins/redis/start-redis.ts'
import { noNetwork } from './replay/open-store.ts'

const run = promisify(execFile)
const rate = { requests: 100, everySec: 3_600, burst: 100 }

/** Limits of one verifier that shares its counts, with what it has reported. */
async function openLimits(url: string) {
  const reports: ReplayStoreReport[] = []
  const settings = {
    prefix: 'gatepass:rate:',
    waitMs: redisRateWaitMs,
    network: noNetwork,
    password: async () => undefined,
  }
  const shared = await openRedisRates({ ...settings, address: parseRedisAddress(url) }, (report) =>
    reports.push(report),
  )
  const limits = createRequestLimits({ policy: () => ({ limits: { addresses: rate } }), now: Date.now, shared })
  onTestFinished(() => shared.close())
  const send = async (key = 'dana') => (await limits.takeShared({ key, rate })) === undefined
  return { limits, reports, send }
}

async function askRedis(port: number, ...words: readonly string[]): Promise<string> {
  return (await run('redis-cli', ['-p', String(port), ...words])).stdout.trim()
}

test('two verifiers that ask for each request let as many pass as the policy says, and not one more', async () => {
  const { port } = await startRedis()
  const url = `redis://127.0.0.1:${port}`
  const verifiers = [await openLimits(url), await openLimits(url)]
  let passed = 0
  for (let sent = 0; sent < 150; sent += 1) if (await verifiers[sent % 2]!.send()) passed += 1
  const lifeMs = Number(await askRedis(port, 'PTTL', 'gatepass:rate:dana'))
  expect({
    passed,
    other: await verifiers[0]!.send('eve'),
    isKeptUntilFull: lifeMs > 3_590_000 && lifeMs < 3_700_000,
    reports: verifiers.map(({ reports }) => reports),
  }).toEqual({ passed: 100, other: true, isKeptUntilFull: true, reports: Array(2).fill([{ kind: 'available' }]) })
})

test('known callers are counted without a wait, and the other verifier learns the count', async () => {
  const { port } = await startRedis()
  const url = `redis://127.0.0.1:${port}`
  const [one, other] = [await openLimits(url), await openLimits(url)]
  const passed = Array.from({ length: 150 }, () => one.limits.take({ key: 'dana', rate })).filter((refusal) => !refusal)
  await vi.waitUntil(async () => Number(await askRedis(port, 'PTTL', 'gatepass:rate:dana')) > 3_590_000)
  expect({ passed: passed.length, other: await other.send() }).toEqual({ passed: 100, other: false })
})

test('requests that come while one is under way go to Redis together', async () => {
  const { port } = await startRedis()
  const { send } = await openLimits(`redis://127.0.0.1:${port}`)
  const results = await Promise.all(Array.from({ length: 90 }, () => send()))
  const calls = Number(/cmdstat_eval:calls=(\d+)/.exec(await askRedis(port, 'INFO', 'commandstats'))?.[1])
  expect({ passed: results.filter(Boolean).length, calls }).toEqual({ passed: 90, calls: 2 })
})

test('a flood from one address is known to the other verifier', async () => {
  const { port } = await startRedis()
  const url = `redis://127.0.0.1:${port}`
  const [one, other] = [await openLimits(url), await openLimits(url)]
  const client = () => '203.0.113.9'
  for (let sent = 0; sent < 100; sent += 1) one.limits.takeAddress(client)
  await vi.waitUntil(async () => Number(await askRedis(port, 'PTTL', 'gatepass:rate:203.0.113.9')) > 3_590_000)
  const first = other.limits.findAddressRefusal(client)?.reason
  other.limits.takeAddress(client)
  await vi.waitUntil(() => other.limits.findAddressRefusal(client) !== undefined)
  expect([first, other.limits.findAddressRefusal(client)?.reason]).toEqual([undefined, 'too-many-requests'])
})

test('while Redis is away or silent, each verifier counts alone, within a bounded time, and says so', async () => {
  const redis = await startRedis()
  const { limits, send, reports } = await openLimits(`redis://127.0.0.1:${redis.port}`)
  redis.signal('SIGSTOP')
  const startedAt = performance.now()
  const silent = await send()
  const isSoon = performance.now() - startedAt < 1_000
  redis.signal('SIGCONT')
  await redis.kill()
  let passed = 0
  for (let sent = 0; sent < 150; sent += 1) if (await send()) passed += 1
  await vi.waitUntil(() => limits.state().isSharedAway)
  await redis.restart()
  await vi.waitUntil(() => !limits.state().isSharedAway, { timeout: 8_000 })
  expect({ silent, isSoon, passed, kinds: [...new Set(reports.map(({ kind }) => kind))] }).toEqual({
    silent: true,
    isSoon: true,
    passed: 99,
    kinds: ['available', 'unavailable'],
  })
})

test('a user of the access control list needs only the rights that are granted here', async () => {
  const rights = 'on nopass +set +get +info +eval +time ~gatepass:rate:*'
  const { port } = await startRedis(...`--user default off --user gatepass ${rights}`.split(' '))
  const url = `redis://gatepass@127.0.0.1:${port}`
  const { send, reports } = await openLimits(url)
  expect({ passes: await send(), reports }).toEqual({ passes: true, reports: [{ kind: 'available' }] })
})
