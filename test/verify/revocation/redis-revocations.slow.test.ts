import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Secret } from '../../../src/runtime/secret.ts'
import type { ReplayStoreReport } from '../../../src/verify/replay/memory-replay-store.ts'
import { parseRedisAddress } from '../../../src/verify/replay/redis-address.ts'
import { openRedisRevocations, sendRevocations } from '../../../src/verify/revocation/redis-revocations.ts'
import { startRedis } from '../../stand-ins/redis/start-redis.ts'
import { noNetwork } from '../replay/open-store.ts'

const run = promisify(execFile)
const dana = { kind: 'subject', value: 'dana', issuer: undefined, before: Infinity, until: Infinity } as const

function toSettings(port: number, user = '') {
  return {
    address: parseRedisAddress(`redis://${user}127.0.0.1:${port}`),
    password: async () => (user === '' ? undefined : new Secret('hunter2')),
    network: noNetwork,
    prefix: 'gatepass:revoked:',
    waitMs: 500,
  }
}

async function openSource(port: number, user?: string) {
  const reports: ReplayStoreReport[] = []
  const report = (each: ReplayStoreReport) => reports.push(each)
  const source = await openRedisRevocations(toSettings(port, user), { now: Date.now, report })
  onTestFinished(() => source.close())
  const has = (subject: string) =>
    source.list.find({ kind: 'jwt', issuer: 'i', subject, claims: {}, issuedAt: 0, expiresAt: 0 }) !== undefined
  return { source, has, reports }
}

/** Counts how often verifiers have read the changes. */
async function countReads(port: number): Promise<number> {
  const { stdout } = await run('redis-cli', ['-p', String(port), 'INFO', 'commandstats'])
  return Number(/^cmdstat_xread:calls=(\d+)/m.exec(stdout)?.[1] ?? 0)
}

test('verifiers see each other’s entries, earlier entries, and lifted ones', async () => {
  const { port } = await startRedis()
  await sendRevocations(toSettings(port), [{ ...dana, value: 'lee' }], 'ticket 4711')
  const [one, two] = [await openSource(port), await openSource(port)]
  const before = [one.has('lee'), two.has('lee'), two.has('dana')]
  await one.source.add([dana])
  const atOnce = one.has('dana')
  await vi.waitUntil(() => two.has('dana'), { timeout: 5_000 })
  await sendRevocations(toSettings(port), [{ ...dana, value: 'lee', until: Date.now() }])
  await vi.waitUntil(() => !one.has('lee') && !two.has('lee'), { timeout: 5_000 })
  const third = await openSource(port)
  const { stdout } = await run('redis-cli', ['-p', String(port), 'HVALS', 'gatepass:revoked:entries'])
  expect({ before, atOnce, third: [third.has('dana'), third.has('lee')], stdout }).toEqual({
    before: [true, true, false],
    atOnce: true,
    third: [true, false],
    stdout: '{"subject":"dana"}\n', // the ended entry was removed by the load
  })
})

test('the known entries count while Redis is away, and a Redis that has forgotten gets them again', async () => {
  const redis = await startRedis()
  const { source, has, reports } = await openSource(redis.port)
  await source.add([dana])
  const earlier = await countReads(redis.port)
  // It sends one read after another: once the next but one has come, it has its own change.
  await vi.waitUntil(async () => (await countReads(redis.port)) > earlier + 1, { timeout: 5_000 })
  await redis.kill()
  await vi.waitUntil(() => source.problem() !== undefined, { timeout: 5_000 })
  const away = { dana: has('dana'), problem: source.problem() }
  const failed = await source.add([{ ...dana, value: 'kim' }]).catch(({ kind }) => kind)
  const unwritten = has('kim')
  await redis.restart()
  await vi.waitUntil(() => source.problem() === undefined, { timeout: 15_000 })
  const another = await openSource(redis.port)
  const texts = reports.flatMap((each) => (each.kind === 'warning' ? each.message : []))
  expect({ away, failed, unwritten, later: [has('dana'), another.has('dana'), another.has('kim')], texts }).toEqual({
    away: { dana: true, problem: expect.any(String) },
    failed: 'unavailable',
    unwritten: true,
    later: [true, true, true], // it started again without anything that it knew
    texts: [
      `Redis at 127.0.0.1:${redis.port} has forgotten revocations: those that this verifier knows still count, and are written again`,
    ],
  })
})

test('a Redis that stops answering is a problem although its connection stays open', async () => {
  const redis = await startRedis()
  const { source } = await openSource(redis.port)
  redis.signal('SIGSTOP')
  const started = performance.now()
  await vi.waitUntil(() => source.problem() !== undefined, { timeout: 20_000 })
  const tookMs = performance.now() - started
  redis.signal('SIGCONT')
  expect(tookMs).toBeLessThan(10_000)
})

test('a user of the access control list needs only the rights that the page names', async () => {
  const acl =
    '--user default off --user gatepass on >hunter2 ~gatepass:revoked:* +set +get +info +hset +hscan +hmget +hdel'
  const { port } = await startRedis(
    ...acl.split(' '),
    ...'+xadd +xread +xrevrange +watch +unwatch +multi +exec'.split(' '),
  )
  const { source, has, reports } = await openSource(port, 'gatepass@')
  await source.add([dana, { ...dana, value: 'lee', until: Date.now() }])
  const next = await openSource(port, 'gatepass@')
  expect({ reports, problem: next.source.problem(), has: [has('dana'), next.has('dana'), next.has('lee')] }).toEqual({
    reports: [{ kind: 'available' }],
    problem: undefined,
    has: [true, true, false],
  })
})

test('a Redis with more entries than there is room for is a problem from the start, until it has fewer', async () => {
  const { port } = await startRedis()
  const entries = 'gatepass:revoked:entries'
  const fill = `for i = 1, 100001 do redis.call('HSET', KEYS[1], 'subject\\n\\n' .. i, '{"subject":"' .. i .. '"}') end`
  await run('redis-cli', ['-p', String(port), 'EVAL', fill, '1', entries])
  const { source } = await openSource(port)
  expect(source.problem()).toBe('Redis has more than 100000 entries')
  await run('redis-cli', ['-p', String(port), 'DEL', entries])
  await vi.waitUntil(() => source.problem() === undefined, { timeout: 30_000 })
  expect(source.list.size).toBe(0)
}, 60_000)
