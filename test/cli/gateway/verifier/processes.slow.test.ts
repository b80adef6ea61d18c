import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runGatepass } from '../../run-gatepass.ts'
import { ask, startIssuerWithPolicy, startVerifierProcess } from './verifier-process.ts'

async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 200; left > 0 && !(await isSo()); left -= 1) await sleep(50)
}

/** The statuses of as many requests, each over a connection of its own, which the first process gives to the next one in turn. */
async function askInTurn(address: string, token: string, count: number): Promise<(number | string)[]> {
  const seen = new Set<number | string>()
  for (let left = count; left > 0; left -= 1) {
    const answer = await ask(address, token, new Agent())
    seen.add('status' in answer ? answer.status : answer.code)
  }
  return [...seen]
}

test('several processes answer at one address: one that dies is started again, all read a new policy, and the metrics are of all', async () => {
  const { policy, writePolicy, token } = await startIssuerWithPolicy()
  const args = ['--policy', policy, '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0', '--processes', '3']
  const verifier = await startVerifierProcess(...args)
  const { listen, admin = '' } = verifier.addresses
  const readMetric = async (name: string) => {
    const answer = await fetch(`${admin}/metrics`, { headers: { connection: 'close' } }).catch(() => undefined)
    const text = (await answer?.text()) ?? '' // a connection to the process that dies
    const rows = text.split('\n').filter((row) => row.startsWith(`${name} `) || row.startsWith(`${name}{`))
    return rows.map((row) => Number(row.split(' ').at(-1))).reduce((sum, value) => sum + value, 0)
  }
  await waitUntil(async () => (await readMetric('gatepass_processes')) === 3)
  expect(await askInTurn(listen, token, 12)).toEqual([200])
  expect(await readMetric('gatepass_verifications_total')).toBe(12)
  expect(await readMetric('gatepass_cache_entries')).toBe(3)
  expect(await readMetric('gatepass_build_info')).toBe(1)

  const children = async () =>
    (await readFile(`/proc/${verifier.processId}/task/${verifier.processId}/children`, 'utf8')).trim().split(' ')
  const [first] = await children()
  process.kill(Number(first), 'SIGKILL')
  await waitUntil(async () => (await readMetric('gatepass_processes')) === 2)
  expect(await askInTurn(listen, token, 6)).toEqual([200])
  await waitUntil(async () => (await readMetric('gatepass_processes')) === 3)
  expect((await children()).includes(first!)).toBe(false)
  expect(await readMetric('gatepass_verifications_total')).toBe(18)
  const told = verifier.log().filter(({ event }) => event === 'process')
  expect(told.map(({ level, message }) => ({ level, message }))).toEqual([
    { level: 'error', message: `process ${first} has ended with SIGKILL, and another one takes its place` },
  ])

  await writePolicy(['blue'])
  verifier.signal('SIGHUP')
  await waitUntil(() => verifier.log().filter(({ message }) => /has changed/.test(String(message))).length === 3)
  expect(await askInTurn(listen, token, 9)).toEqual([403])

  verifier.signal('SIGTERM')
  const { status, stdout } = await verifier.ended
  expect({ status, stdout }).toEqual({ status: 0, stdout: `${JSON.stringify(verifier.addresses)}\n` })
  expect(await askInTurn(listen, token, 1)).toEqual(['ECONNREFUSED'])
})

test('SIGHUP has each of several processes open the audit again, so that a rotation loses no line', async () => {
  const { policy, directory, token } = await startIssuerWithPolicy()
  const audit = join(directory, 'audit.jsonl')
  const args = ['--policy', policy, '--listen', '127.0.0.1:0', '--processes', '2', '--audit', audit]
  const verifier = await startVerifierProcess(...args)
  const countLines = async (path: string) => (await readFile(path, 'utf8').catch(() => '')).split('\n').length - 1
  const before = await askInTurn(verifier.addresses.listen, token, 4)
  await waitUntil(async () => (await countLines(audit)) === 4)
  await rename(audit, `${audit}.1`)
  verifier.signal('SIGHUP')
  await waitUntil(async () => (await stat(audit).catch(() => undefined)) !== undefined)
  await sleep(300) // the other process opens it too
  const after = await askInTurn(verifier.addresses.listen, token, 6)
  verifier.signal('SIGTERM')
  await verifier.ended
  const counts = [await countLines(`${audit}.1`), await countLines(audit)]
  expect({ before, after, counts }).toEqual({ before: [200], after: [200], counts: [4, 6] })
})

test('a process that hangs is ended, so that another takes its place', async () => {
  const { policy, token } = await startIssuerWithPolicy()
  const verifier = await startVerifierProcess('--policy', policy, '--listen', '127.0.0.1:0', '--processes', '2')
  const path = `/proc/${verifier.processId}/task/${verifier.processId}/children`
  const listChildren = async () => (await readFile(path, 'utf8')).trim().split(' ')
  const before = await listChildren()
  process.kill(Number(before[0]), 'SIGSTOP')
  const ended = () => verifier.log().filter(({ event }) => event === 'process')
  for (let left = 120; left > 0 && ended().length === 0; left -= 1) await sleep(500)
  await waitUntil(async () => (await listChildren()).length === 2)
  const after = await listChildren()
  expect({
    told: ended().map(({ message }) => message),
    kept: before.filter((each) => after.includes(each)),
    count: after.length,
    answers: await askInTurn(verifier.addresses.listen, token, 6),
  }).toEqual({
    told: [`process ${before[0]} has ended with SIGKILL, and another one takes its place`],
    kept: [before[1]],
    count: 2,
    answers: [200],
  })
}, 120_000)

test('processes that share no memory refuse to start with a rule that accepts a token once', async () => {
  const { policy } = await startIssuerWithPolicy()
  const { rules, ...others } = JSON.parse(await readFile(policy, 'utf8'))
  await writeFile(policy, JSON.stringify({ ...others, rules: [{ ...rules[0], use: 'once' }] }))
  const args = [
    'gateway',
    'verifier',
    '--policy',
    policy,
    '--listen',
    '127.0.0.1:0',
    '--processes',
    '2',
    '--log',
    'text',
  ]
  const { status, stdout, stderr } = await runGatepass(...args)
  const said = stderr.split('\n').filter((line) => line.startsWith('gatepass:'))
  expect({ status, stdout, said }).toEqual({
    status: 6,
    stdout: '',
    said: [
      'gatepass: several processes remember used tokens and proofs in Redis alone, and rule "people" accepts a token once',
      'gatepass: hint: name a Redis with --redis, or remove --processes',
      'gatepass: no process could start',
      'gatepass: hint: correct what the message above says',
    ],
  })
})
