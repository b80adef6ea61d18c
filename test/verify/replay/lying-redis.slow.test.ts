import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { nothing, ok, startScriptedRedis } from '../../stand-ins/redis/scripted-redis.ts'
import { openStore, tryUse } from './open-store.ts'

const available = { kind: 'available' }

test('sends a digest under the prefix, a value of its own, and a duration that outlives the token', async () => {
  const redis = await startScriptedRedis()
  const { store, reports } = await openStore(`redis://127.0.0.1:${redis.port}`, { now: () => 1_000_000 })
  const examination = redis.commands.splice(0)
  const answers = [
    await tryUse(store, 'd1', 1_060_000),
    await tryUse(store, 'd1', 1_060_000),
    await tryUse(store, 'ended', 900_000),
  ]
  const values = new Set(redis.commands.map(([, , value]) => value))
  expect({ answers, reports, examination: examination.map(([name]) => name), uses: redis.commands, values }).toEqual({
    answers: ['first', 'again', 'first'],
    reports: [available],
    examination: ['SET', 'SET', 'GET', 'INFO'],
    uses: [
      ['SET', 'gatepass:used:d1', expect.any(String), 'NX', 'PX', '360000'],
      ['SET', 'gatepass:used:d1', expect.any(String), 'NX', 'PX', '360000'],
      ['SET', 'gatepass:used:ended', expect.any(String), 'NX', 'PX', '300000'],
    ],
    values: expect.objectContaining({ size: 3 }),
  })
})

test('a reply that is lost after the command was executed makes no first use a later one', async () => {
  const redis = await startScriptedRedis()
  const { store } = await openStore(`redis://127.0.0.1:${redis.port}`)
  await new Promise((passed) => setTimeout(passed, 1_050)) // a connection that was good is opened again at once
  redis.script = (command, answer) => {
    const reply = answer()
    if (!command[1]?.endsWith('lost')) return reply
    redis.script = (_next, same) => same()
    return 'close'
  }
  expect(await tryUse(store, 'lost')).toBe('first')
  expect(await tryUse(store, 'lost')).toBe('again')
})

test('a use whose answer was lost counts as the first when it comes again', async () => {
  const redis = await startScriptedRedis()
  const { store, reports } = await openStore(`redis://127.0.0.1:${redis.port}`, { waitMs: 50 })
  redis.script = (_command, answer) => {
    answer()
    return 'silence'
  }
  const unanswered = await tryUse(store, 'late')
  redis.script = (_command, answer) => answer()
  const next = await tryUse(store, 'late')
  await expect.poll(() => reports.length).toBe(3)
  const later = await Promise.all(['late', 'late', 'late'].map((digest) => tryUse(store, digest)))
  const late = 'Redis has not answered within 50 ms'
  const refused = `replay-store-unavailable: ${late}`
  expect({ unanswered, next, later, reports }).toEqual({
    unanswered: refused,
    next: refused,
    later: ['first', 'again', 'again'],
    reports: [
      available,
      { kind: 'unavailable', message: late, hint: 'check whether Redis runs, is overloaded or is far away' },
      available,
    ],
  })
})

const noFirst = 'does not support SET with NX'
const foreign = 'does not answer as Redis does'
const closed = 'closed the connection'

test.each([
  ['says OK to everything', () => ok, noFirst],
  ['knows no value', () => nothing, noFirst],
  ['sends numbers', () => ({ wire: ':1\r\n' }), noFirst],
  ['sends lists', () => ({ wire: '*2\r\n+OK\r\n+OK\r\n' }), noFirst],
  ['sends more replies than were asked for', () => ({ wire: '+OK\r\n'.repeat(9) }), foreign],
  ['sends bytes that are none', () => ({ wire: '\x00\xff' }), foreign],
  ['ends each connection', () => 'close' as const, closed],
  [
    'repeats what it got in an error',
    () => ({ wire: '-ERR unknown command `SET` hunter2\r\n' }),
    'answers with an error',
  ],
  [
    'is a replica',
    () => ({ wire: "-READONLY You can't write against a read only replica.\r\n" }),
    'is a replica, which cannot be written to',
  ],
])('fails closed with a server that %s', async (_name, reply, what) => {
  const redis = await startScriptedRedis()
  redis.script = reply
  const { store, reports } = await openStore(`redis://127.0.0.1:${redis.port}`)
  const message = `Redis at 127.0.0.1:${redis.port} ${what}`
  expect({ use: await tryUse(store, 'd'), reports }).toEqual({
    use: `replay-store-unavailable: ${message}`,
    reports: [{ kind: 'unavailable', message, hint: expect.any(String) }],
  })
})

test.each([
  ['a number', { wire: ':0\r\n' }, 'the answer to SET is not one that Redis gives'],
  ['a text', { wire: '$5\r\nfirst\r\n' }, 'the answer to SET is not one that Redis gives'],
  ['an error', { wire: '-OOM command not allowed\r\n' }, 'Redis at HOST has no memory left'],
  ['bytes that are not a reply', { wire: 'HTTP/1.1 400\r\n' }, undefined],
])('fails closed when a use is answered with %s, and comes back', async (_name, reply, message) => {
  const redis = await startScriptedRedis()
  const { store, reports } = await openStore(`redis://127.0.0.1:${redis.port}`)
  redis.script = () => reply
  const name = `127.0.0.1:${redis.port}`
  const use = await tryUse(store, 'd')
  redis.script = (_command, answer) => answer()
  await expect.poll(() => reports.length).toBe(3)
  const expected = message?.replace('HOST', name) ?? `Redis at ${name} ${foreign}`
  expect({ use, reports, next: await tryUse(store, 'other') }).toEqual({
    use: `replay-store-unavailable: ${expected}`,
    reports: [available, { kind: 'unavailable', message: expected, hint: expect.any(String) }, available],
    next: 'first',
  })
})

test('fails closed with a server of HTTP', async () => {
  const server = createServer()
  const port = await listenDuringTest(server)
  const { store } = await openStore(`redis://127.0.0.1:${port}`)
  expect(await tryUse(store, 'd')).toBe(`replay-store-unavailable: Redis at 127.0.0.1:${port} ${foreign}`)
})

test('waits for a connection that ended while idle', async () => {
  const redis = await startScriptedRedis()
  const { store, reports } = await openStore(`redis://127.0.0.1:${redis.port}`)
  await new Promise((passed) => setTimeout(passed, 1_050)) // then the connection was a good one
  redis.disconnect()
  await new Promise((passed) => setTimeout(passed, 5))
  expect({ use: await tryUse(store, 'd'), reports }).toEqual({ use: 'first', reports: [available] })
})

test.each([
  [
    'maxmemory:100\r\nmaxmemory_policy:volatile-lru\r\n',
    'may forget used tokens when its memory is full (maxmemory-policy volatile-lru): they would pass again',
  ],
  ['redis_version:2.8\r\n', undefined],
])('warns of a server that may forget: %j', async (info, message) => {
  const redis = await startScriptedRedis(info)
  const { reports } = await openStore(`redis://127.0.0.1:${redis.port}`)
  const at = `Redis at 127.0.0.1:${redis.port}`
  const expected = message
    ? `${at} ${message}`
    : `it cannot be seen whether ${at} forgets used tokens when its memory is full`
  expect(reports).toEqual([available, { kind: 'warning', message: expected, hint: expect.any(String) }])
})
