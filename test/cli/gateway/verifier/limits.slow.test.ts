import { readFile, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startRedis } from '../../../stand-ins/redis/start-redis.ts'
import { runGatepass } from '../../run-gatepass.ts'
import { ask, startIssuerWithPolicy, startVerifierProcess } from './verifier-process.ts'

const hourly = { requests: 4, everySec: 3_600 }

async function startWithLimits(limits: object) {
  const started = await startIssuerWithPolicy()
  const policy = JSON.parse(await readFile(started.policy, 'utf8'))
  await writeFile(started.policy, JSON.stringify({ ...policy, limits }))
  return started
}

test('processes that share a Redis let a caller pass as often as the policy says', async () => {
  const [{ policy, token, directory }, { port }] = await Promise.all([
    startWithLimits({ callers: hourly }),
    startRedis(),
  ])
  const audit = join(directory, 'audit.jsonl')
  const verifier = await startVerifierProcess(
    ...['--policy', policy, '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0', '--processes', '2'],
    ...['--limits', 'redis', '--redis', `redis://127.0.0.1:${port}`, '--audit', audit],
  )
  const { listen, admin } = verifier.addresses
  const statuses = []
  for (let sent = 0; sent < 16; sent += 1) {
    const answer = await ask(listen, token, new Agent())
    statuses.push('status' in answer ? answer.status : answer.code)
  }
  const metrics = await (await fetch(`${admin}/metrics`)).text()
  verifier.signal('SIGTERM')
  await verifier.ended
  const lines = (await readFile(audit, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const passed = statuses.filter((status) => status === 200).length
  const counted = metrics.matchAll(/^gatepass_verifications_total{.*reason="too-many-requests".*} (\d+)$/gm)
  expect({
    // One process hears of what the other one has let pass with its own next request.
    isShared: passed === 4 || passed === 5,
    others: [...new Set(statuses.slice(passed))],
    counted: [...counted].reduce((sum, [, value]) => sum + Number(value), 0),
    refused: lines.filter(({ reason, subject }) => reason === 'too-many-requests' && subject === 'dana').length,
    away: /^gatepass_limits_away .*$/m.exec(metrics)?.[0],
  }).toEqual({
    isShared: true,
    others: [429],
    counted: 16 - passed,
    refused: 16 - passed,
    away: 'gatepass_limits_away 0',
  })
})

test('the limits of a new policy apply at once', async () => {
  const { policy, token } = await startWithLimits({ callers: { ...hourly, requests: 1 } })
  const verifier = await startVerifierProcess('--policy', policy, '--listen', '127.0.0.1:0')
  const send = async () => {
    const answer = await ask(verifier.addresses.listen, token, new Agent())
    return 'status' in answer ? answer.status : answer.code
  }
  const before = [await send(), await send()]
  const written = JSON.parse(await readFile(policy, 'utf8'))
  await writeFile(policy, JSON.stringify({ ...written, limits: { addresses: hourly } }))
  verifier.signal('SIGHUP')
  await expect
    .poll(() => verifier.log().filter(({ event }) => event === 'limits'))
    .toEqual([
      {
        time: expect.any(String),
        level: 'warning',
        event: 'limits',
        message: 'limits.addresses of the policy has no effect: nobody tells the address of the client',
        hint: 'have the gateway state it in X-Forwarded-For, as the recipes do, and name that: --request-from x-forwarded',
      },
    ])
  expect({ before, after: [await send(), await send()] }).toEqual({ before: [200, 429], after: [200, 200] })
})

test.each([
  [
    'limits of addresses that no gateway states',
    { addresses: hourly },
    [],
    'limits.addresses of the policy has no effect: nobody tells the address of the client',
    'have the gateway state it in X-Forwarded-For, as the recipes do, and name that: --request-from x-forwarded',
  ],
  [
    'counts in a Redis without an address',
    { callers: hourly },
    ['--limits', 'redis'],
    'limits that are counted in Redis need a Redis',
    'name it: --redis redis://HOST:6379',
  ],
])('the verifier does not start with %s', async (_, limits, options, message, hint) => {
  const { policy } = await startWithLimits(limits)
  const { status, stdout, stderr } = await runGatepass(
    ...['gateway', 'verifier', '--policy', policy, '--listen', '127.0.0.1:0', '--log', 'text', ...options],
  )
  const said = stderr.split('\n').filter((line) => line.startsWith('gatepass: '))
  expect({ status, stdout, said }).toEqual({
    status: 2,
    stdout: '',
    said: [`gatepass: ${message}`, `gatepass: hint: ${hint}`],
  })
})
