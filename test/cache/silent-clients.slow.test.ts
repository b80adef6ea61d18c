import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import type { ClientEventBody } from '../../src/client/client-event.ts'
import { selectCredentialSource } from '../../src/client/credentials/select-credential-source.ts'
import { createClientRuns } from '../../src/client/launch/run-for-client.ts'
import type { HelperClient } from '../../src/contract/client.ts'
import type { ClientName } from '../../src/contract/clients.ts'
import { clients } from '../../src/contract/clients.ts'
import { runBundle } from '../setup/run-bundle.ts'
import type { Outcome } from '../setup/run-program.ts'
import { type CountableSource, startCountableSource } from './countable-source.ts'
import { ageEntries, cacheIn, listCache, listKinds } from './start-run.ts'

const helper = 'workload-token'
const environment = (source: CountableSource) => ({ PATH: '/usr/bin:/bin', HOME: source.home, ...source.env })

/** Reads every file of the cache with its size and when it changed, in nanoseconds. */
async function readState(source: CountableSource): Promise<Record<string, string>> {
  const directory = cacheIn(source)
  const names = (await readdir(directory, { recursive: true })).sort()
  const states = names.map(async (name) => {
    const { mtimeNs, ctimeNs, size, ino } = await stat(join(directory, name), { bigint: true })
    return [name, [mtimeNs, ctimeNs, size, ino].join(' ')] as const
  })
  return Object.fromEntries(await Promise.all(states))
}

/** Runs a helper as a client that asks for each request. The environment of this one holds no secret, so that its calls are remembered. */
async function startPerRequest(more: readonly string[] = []) {
  const helper = 'command-token'
  const source = await startCountableSource(helper)
  const argv = [...source.argv(), '--no-headers', '--format', 'token', '--client-ttl', '1', ...more]
  const run = () => runBundle(helper, { argv, env: environment(source) })
  await run()
  // A file that changed within the last seconds is not remembered.
  await sleep(3_000)
  const { stdout } = await run()
  return { source, run, stdout }
}

test('200 calls of a client that asks for each request mint nothing, lock nothing and write nothing', async () => {
  const { source, run, stdout } = await startPerRequest()
  for (const name of await listCache(source)) if (name.endsWith('.lock')) await rm(join(cacheIn(source), name))
  const before = await readState(source)
  const outcomes: Outcome[] = []
  // Twenty at once, because each is a process.
  while (outcomes.length < 200) outcomes.push(...(await Promise.all(Array.from({ length: 20 }, run))))
  expect({ outcomes, kinds: await listKinds(source), state: await readState(source), asked: source.asked() }).toEqual({
    outcomes: Array(200).fill({ status: 0, stdout, stderr: '' }),
    kinds: ['json', 'memo'],
    state: before,
    asked: 1,
  })
}, 240_000)

/** How a client's turns end before and after its token is revoked: each with the number of the token that was sent, or "lost". */
async function playRevocation(name: ClientName, own: readonly string[], change: Partial<HelperClient> = {}) {
  const source = await startCountableSource(helper)
  const client = { ...clients[name], ...change }
  const server = 'https://own.example'
  const argv = ['--format', client.format, '--no-headers', ...own, ...source.argv()]
  const { runHelper, eraseCredential } = createClientRuns(client, server)
  const chosen = selectCredentialSource(
    { kind: 'helper-script', command: process.execPath, args: [toBundlePath(helper), ...argv], timeoutSec: 30 },
    {
      otherClient: client,
      env: environment(source),
      platform: process.platform,
      now: Date.now,
      lookAheadSec: 0,
      runHelper,
      eraseCredential,
      openSignIn: () => Promise.reject(new Error('nobody signs in')) as never,
    },
  )
  const failures: string[] = []
  const emit = (event: ClientEventBody) => {
    if (event.type === 'helper-failed') failures.push(event.message)
  }
  const session = await chosen.continueSession(emit)
  const tokens: string[] = []
  const revoked = new Set<string>()
  const turn = async () => {
    const first = await session.beforeTurn(emit)
    const isRefused = first && revoked.has(first.token.reveal())
    const held = isRefused ? await session.afterRefusal(first, emit) : first
    const token = held?.token.reveal()
    if (token === undefined || revoked.has(token)) return 'lost'
    if (!tokens.includes(token)) tokens.push(token)
    return tokens.indexOf(token) + 1
  }
  const before = [await turn(), await turn()]
  // The token is not a new one any more when it is revoked.
  await ageEntries(source, 120_000)
  await sleep(10_500)
  for (const token of tokens) revoked.add(token)
  const after = [await turn(), await turn(), await turn()]
  return { before, after, mints: source.mints(), failures }
}

const saved = { before: [1, 1], after: [2, 2, 2], mints: 2, failures: [] }
const lostOne = { ...saved, after: ['lost', 2, 2] }
const onlyAfterRefusal = (name: ClientName) => {
  const { intervalSec: _, ...refresh } = clients[name].refresh
  return { refresh }
}

type Revocation = readonly [client: ClientName, own: readonly string[], change: Partial<HelperClient>, ends: object]

const withOption: readonly Revocation[] = [
  ['codex', ['--suspect-repetition'], onlyAfterRefusal('codex'), saved],
  ['goose', ['--suspect-repetition'], onlyAfterRefusal('goose'), saved],
  // As the line that `config init` writes starts it, with `exec`.
  ['copilot', ['--client-ttl', '1', '--suspect-after', '2'], { start: 'arguments' }, saved],
  ['kubernetes', [], {}, lostOne],
  ['git', ['--for-host', 'own.example'], {}, lostOne],
]
const withoutOption: Revocation = [
  'copilot',
  ['--client-ttl', '1'],
  {},
  { ...saved, after: ['lost', 'lost', 'lost'], mints: 1 },
]

test('after a revocation a client loses one turn at most with the option, and each turn without it', async () => {
  const revocations = [...withOption, withoutOption]
  const ends = await Promise.all(
    revocations.map(async ([client, own, change]) => [client, own, await playRevocation(client, own, change)]),
  )
  expect(ends).toEqual(revocations.map(([client, own, , expected]) => [client, own, expected]))
}, 120_000)

test('sixteen windows at once that suspect a refusal mint once', async () => {
  const { source, run, stdout } = await startPerRequest(['--suspect-after', '2'])
  await ageEntries(source, 120_000)
  const outcomes = await Promise.all(Array.from({ length: 16 }, run))
  const again = await Promise.all(Array.from({ length: 16 }, run))
  const renewed = again[0]!.stdout
  expect({ outcomes, again, isRenewed: renewed !== stdout, mints: source.mints() }).toEqual({
    outcomes: outcomes.map((each) => ({ status: 0, stdout: each.stdout, stderr: '' })),
    again: Array(16).fill({ status: 0, stdout: renewed, stderr: '' }),
    isRenewed: true,
    mints: 2,
  })
}, 120_000)
