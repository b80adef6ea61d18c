import { readFile, rename, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listOpenPaths } from '../../../setup/find-processes.ts'
import { waitUntil } from '../../../setup/wait-until.ts'
import { runGatepass } from '../../run-gatepass.ts'
import { ask, startIssuerWithPolicy, startVerifierProcess, type VerifierProcess } from './verifier-process.ts'

/** Returns the statuses of as many requests, each over a connection of its own, which the first process gives to the next one in turn. */
async function askInTurn(address: string, token: string, count: number): Promise<(number | string)[]> {
  const seen = new Set<number | string>()
  for (let left = count; left > 0; left -= 1) {
    const answer = await ask(address, token, new Agent())
    seen.add('status' in answer ? answer.status : answer.code)
  }
  return [...seen]
}

/** Starts three processes behind one address, and what is counted and listed of them. */
async function startThree() {
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
  const waitForProcesses = (count: number) =>
    waitUntil(`${count} processes answer`, async () => (await readMetric('gatepass_processes')) === count)
  await waitForProcesses(3)
  return { verifier, listen, token, writePolicy, readMetric, waitForProcesses }
}

async function listChildren({ processId }: VerifierProcess): Promise<string[]> {
  return (await readFile(`/proc/${processId}/task/${processId}/children`, 'utf8')).trim().split(' ')
}

test('several processes answer at one address, and add up their metrics', async () => {
  const { verifier, listen, token, readMetric } = await startThree()
  const answers = await askInTurn(listen, token, 12)
  const metrics = {
    verifications: await readMetric('gatepass_verifications_total'),
    entries: await readMetric('gatepass_cache_entries'),
    builds: await readMetric('gatepass_build_info'),
  }
  verifier.signal('SIGTERM')
  const { status, stdout } = await verifier.ended
  expect({ answers, metrics, status, stdout, afterwards: await askInTurn(listen, token, 1) }).toEqual({
    answers: [200],
    metrics: { verifications: 12, entries: 3, builds: 1 },
    status: 0,
    stdout: `${JSON.stringify(verifier.addresses)}\n`,
    afterwards: ['ECONNREFUSED'],
  })
})

test('a process that dies is started again, and the metrics keep its counts', async () => {
  const { verifier, listen, token, readMetric, waitForProcesses } = await startThree()
  await askInTurn(listen, token, 12)
  const before = await readMetric('gatepass_verifications_total')
  const [first] = await listChildren(verifier)
  process.kill(Number(first), 'SIGKILL')
  const told = () => verifier.log().filter(({ event }) => event === 'process')
  await waitUntil('its end is logged', () => told().length > 0)
  const answers = await askInTurn(listen, token, 6)
  await waitForProcesses(3)
  expect({
    before,
    answers,
    after: await readMetric('gatepass_verifications_total'),
    isReplaced: !(await listChildren(verifier)).includes(first!),
    told: told().map(({ level, message }) => ({ level, message })),
  }).toEqual({
    before: 12,
    answers: [200],
    after: 18,
    isReplaced: true,
    told: [{ level: 'error', message: `process ${first} has ended with SIGKILL, and another one takes its place` }],
  })
})

test('SIGHUP has each of several processes read a new policy', async () => {
  const { verifier, listen, token, writePolicy } = await startThree()
  const before = await askInTurn(listen, token, 9)
  await writePolicy(['blue'])
  verifier.signal('SIGHUP')
  await waitUntil(
    'every process has read the policy',
    () => verifier.log().filter(({ message }) => /has changed/.test(String(message))).length === 3,
  )
  expect([before, await askInTurn(listen, token, 9)]).toEqual([[200], [403]])
})

test('SIGHUP has each of several processes open the audit again, so that a rotation loses no line', async () => {
  const { policy, directory, token } = await startIssuerWithPolicy()
  const audit = join(directory, 'audit.jsonl')
  const args = ['--policy', policy, '--listen', '127.0.0.1:0', '--processes', '2', '--audit', audit]
  const verifier = await startVerifierProcess(...args)
  const countLines = async (path: string) => (await readFile(path, 'utf8').catch(() => '')).split('\n').length - 1
  const before = await askInTurn(verifier.addresses.listen, token, 4)
  await waitUntil('the answers are in the audit log', async () => (await countLines(audit)) === 4)
  await rename(audit, `${audit}.1`)
  verifier.signal('SIGHUP')
  await waitUntil('both processes have the new audit log open', async () => {
    const opened = await Promise.all((await listChildren(verifier)).map(listOpenPaths))
    return opened.every((paths) => paths.includes(audit))
  })
  const after = await askInTurn(verifier.addresses.listen, token, 6)
  verifier.signal('SIGTERM')
  await verifier.ended
  const counts = [await countLines(`${audit}.1`), await countLines(audit)]
  expect({ before, after, counts }).toEqual({ before: [200], after: [200], counts: [4, 6] })
})

test('a process that hangs is replaced', async () => {
  const { policy, token } = await startIssuerWithPolicy()
  const verifier = await startVerifierProcess('--policy', policy, '--listen', '127.0.0.1:0', '--processes', '2')
  const before = await listChildren(verifier)
  process.kill(Number(before[0]), 'SIGSTOP')
  const ended = () => verifier.log().filter(({ event }) => event === 'process')
  for (let left = 120; left > 0 && ended().length === 0; left -= 1) await sleep(500)
  await waitUntil('it is started again', async () => (await listChildren(verifier)).length === 2)
  const after = await listChildren(verifier)
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
      'gatepass: hint: correct the cause that the message above names',
    ],
  })
})
