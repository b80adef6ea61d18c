import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startRedis } from '../../../stand-ins/redis/start-redis.ts'
import { runGatepass } from '../../run-gatepass.ts'
import { ask, startIssuerWithPolicy, startVerifierProcess } from './verifier-process.ts'

/** Asks until the answer has this status, and gives the milliseconds that it took and the reason. */
async function waitForStatus(address: string, token: string, expected: number) {
  const since = performance.now()
  for (let left = 1_000; left > 0; left -= 1) {
    const answer = await ask(address, token)
    if ('status' in answer && answer.status === expected)
      return { ms: performance.now() - since, reason: answer.headers['gatepass-refusal'] }
    await sleep(10)
  }
  throw new Error(`no ${expected} within ten seconds`)
}

test('two verifiers refuse a remembered token that one command revokes in Redis', async () => {
  const [{ port }, { policy, token, issuer }] = await Promise.all([startRedis(), startIssuerWithPolicy()])
  const redis = ['--redis', `redis://127.0.0.1:${port}`]
  const start = () =>
    startVerifierProcess('--policy', policy, '--listen', '127.0.0.1:0', ...redis, '--revocations', 'redis')
  const verifiers = await Promise.all([start(), start()])
  const addresses = verifiers.map(({ addresses }) => addresses.listen)
  await Promise.all(addresses.map((address) => waitForStatus(address, token, 200)))
  const entry = ['--subject', 'dana', '--issuer', issuer.issuer, '--issued-before', 'now']
  const revoked = await runGatepass('gateway', 'revoke', ...entry, ...redis)
  const refused = await Promise.all(addresses.map((address) => waitForStatus(address, token, 401)))
  await sleep(1_100) // the next token is issued in a later second
  const next = await issuer.sign({ sub: 'dana', aud: 'models', team: 'red' })
  const passes = await Promise.all(addresses.map((address) => waitForStatus(address, next, 200)))
  const { before, ...rest } = JSON.parse(revoked.stdout)
  expect({
    revoked: { ...revoked, stdout: rest },
    isNow: Date.now() - Date.parse(before) < 60_000,
    reasons: refused.map(({ reason }) => reason),
    passes,
  }).toEqual({
    revoked: { status: 0, stdout: { subject: 'dana', issuer: issuer.issuer }, stderr: '' },
    isNow: true,
    reasons: ['revoked', 'revoked'],
    passes: [
      { ms: expect.any(Number), reason: undefined },
      { ms: expect.any(Number), reason: undefined },
    ],
  })
  // From the end of the command; a second is promised, and a busy machine gets more.
  const slowestMs = Math.max(...refused.map(({ ms }) => ms))
  expect(slowestMs).toBeLessThan(5_000)
})

test('a file of revocations is read again when it changes, and nobody passes while Redis is away', async () => {
  const [redis, { policy, token, directory }] = await Promise.all([startRedis(), startIssuerWithPolicy()])
  const list = join(directory, 'revoked.jsonl')
  await writeFile(list, '')
  const url = `redis://127.0.0.1:${redis.port}`
  const start = (...argv: string[]) =>
    startVerifierProcess(
      ...['--policy', policy, '--listen', '127.0.0.1:0', '--redis', url, '--revocations', list, 'redis', ...argv],
    )
  const [strict, lenient] = await Promise.all([start(), start('--revocations-unknown', 'pass')])
  const addresses = [strict, lenient].map(({ addresses }) => addresses.listen)
  await Promise.all(addresses.map((address) => waitForStatus(address, token, 200)))
  await redis.kill()
  const { reason } = await waitForStatus(addresses[0]!, token, 503)
  const meanwhile = await waitForStatus(addresses[1]!, token, 200)
  const revoked = await runGatepass('gateway', 'revoke', '--subject', 'dana', '--file', list)
  const refused = await Promise.all(addresses.map((address) => waitForStatus(address, token, 401)))
  expect({ reason, other: meanwhile.reason, revoked, refused: refused.map((each) => each.reason) }).toEqual({
    reason: 'revocations-unavailable',
    other: undefined,
    revoked: { status: 0, stdout: '{"subject":"dana"}\n', stderr: '' },
    refused: ['revoked', 'revoked'],
  })
})
