import { execFile } from 'node:child_process'
import { copyFile, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bundle } from '../../../pkg-scripts/bundle/bundle.ts'
import { renderFile } from '../../../pkg-scripts/bundle/render-file.ts'
import { prepareRuntime } from '../../../pkg-scripts/executable/prepare-runtime.ts'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { startSource } from '../../helpers/workload-token/countable-source.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'
import { waitUntil } from '../../setup/wait-until.ts'
import { olderRuntimes } from '../older-runtimes.ts'
import type { ClientResult } from './client-program.ts'
import { type ClientRun, runClient } from './run-client.ts'
import { startWindowsMachine, type WindowsMachine } from './windows-machine.ts'

const helper = 'workload-token'
const refresh = 'mid-session-refresh'

/** The bundle that ships, on the Windows runtime. */
let machine: WindowsMachine

beforeAll(async () => {
  machine = await startWindowsMachine()
  await copyFile(await prepareRuntime(olderRuntimes.windows), join(machine.directory, 'node.exe'))
  await copyFile(toBundlePath(helper), join(machine.directory, 'helper.cjs'))
  const entry = `export { start } from './test/executables/windows/client-program.ts'`
  const { packed } = await bundle({ name: 'client', entry, isWaitedFor: false })
  await writeFile(join(machine.directory, 'client.cjs'), await renderFile(packed, false))
})

afterAll(() => machine.close())

let users = 0

/** Prepares a user of the machine, with a source of tokens and a cache of its own. */
async function startUser() {
  const source = await startSource()
  const profile = `Zoë Söhne ${users++}`
  const env = {
    ...source.env,
    USERPROFILE: machine.pathOf(profile),
    LOCALAPPDATA: machine.pathOf(`${profile}\\AppData\\Local`),
  }
  const cache = join(machine.directory, profile, 'AppData', 'Local', 'Gatepass', 'Cache')
  return { source, env, cache }
}

type User = Awaited<ReturnType<typeof startUser>>

function runOf({ source, env }: User, more: RunParts = {}): ClientRun {
  const { argv = [], context, timeoutSec = 60 } = more
  const args = [machine.pathOf('helper.cjs'), ...source.argv(), ...argv]
  const credential = { commandWindows: machine.pathOf('node.exe'), args, timeoutSec }
  return { credential, env, ...(context && { context }) }
}

interface RunParts extends Pick<ClientRun, 'context'> {
  readonly argv?: readonly string[]
  /** When the client kills it. */
  readonly timeoutSec?: number
}

const runAll = (runs: readonly ClientRun[]) => runClient(machine, ['node.exe', machine.pathOf('client.cjs')], runs)
const times = <T>(count: number, what: T): T[] => Array.from({ length: count }, () => what)

/** Returns the distinct outcomes and tokens of several runs. */
function summarize(results: readonly ClientResult[]) {
  const reasons = results.map(({ run }) =>
    run.ok ? `good ${run.stderr}`.trim() : `${run.reason} ${run.stderr}`.trim(),
  )
  return { tokens: [...new Set(results.flatMap(({ token }) => token ?? []))], outcomes: [...new Set(reasons)] }
}

/** Returns the runs that print the token of one mint, the first or a later one. */
const tokenOf = (mint: number) => ({ tokens: [`made-up-access-token-${mint}`], outcomes: ['good'] })
const ended = (seconds: number) => ({
  run: {
    ok: false,
    reason: 'timeout',
    survivors: 'none',
    message: `the helper did not end within ${seconds} s and was killed`,
    stderr: '',
  },
})

/** How a client sees a run, but how long it took. */
const withoutTime = ({ run: { durationMs: _, ...run }, ...result }: ClientResult) => ({ ...result, run })

/** Lists the kinds of files in the cache; throws where an entry is torn. */
async function listKinds({ cache }: User): Promise<string[]> {
  const names = await readdir(cache)
  for (const name of names.filter((file) => file.endsWith('.json')))
    JSON.parse(await readFile(join(cache, name), 'utf8'))
  return names.map((name) => name.replace(/.*\./, '')).sort()
}

describe('on Windows', () => {
  test('parallel cold starts share one mint, below the user’s local data', async () => {
    const user = await startUser()
    const shared = summarize(await runAll(times(10, runOf(user))))
    expect({ shared, mints: user.source.mints(), kinds: await listKinds(user) }).toEqual({
      shared: tokenOf(1),
      mints: 1,
      kinds: ['json', 'lock', 'served'],
    })
  })

  test('refreshes at once share one new token, and never the one that was there', async () => {
    const user = await startUser()
    const first = summarize(await runAll([runOf(user)]))
    const next = summarize(await runAll(times(6, runOf(user, { context: refresh }))))
    expect({ first, next, mints: user.source.mints() }).toEqual({ first: tokenOf(1), next: tokenOf(2), mints: 2 })
  })

  test('a holder that is killed while it mints is replaced at once, and leaves nothing', async () => {
    const user = await startUser()
    user.source.hangOnce()
    const killed = (await runAll([runOf(user, { timeoutSec: 6 })])).map(withoutTime)
    const mints = user.source.mints()
    const [next] = await runAll([runOf(user)])
    expect({
      killed,
      mints,
      next: summarize([next!]),
      isAtOnce: next!.run.durationMs < 10_000,
      kinds: await listKinds(user),
    }).toEqual({ killed: [ended(6)], mints: 1, next: tokenOf(2), isAtOnce: true, kinds: ['json', 'lock', 'served'] })
  })

  test('one of the runs that wait for a killed holder takes over, and the others share its token', async () => {
    const user = await startUser()
    user.source.hangOnce()
    const holder = runAll([runOf(user, { timeoutSec: 8 })])
    await waitUntil('the source is asked', () => user.source.mints() === 1)
    const waiters = summarize(await runAll(times(4, runOf(user))))
    const killed = (await holder).map(withoutTime)
    expect({ killed, waiters, mints: user.source.mints() }).toEqual({
      killed: [ended(8)],
      waiters: tokenOf(2),
      mints: 2,
    })
  })

  test('kills at any time tear no entry and leave no lock', async () => {
    const user = await startUser()
    user.source.delay(150)
    const killedAfter = (index: number) => runOf(user, { context: refresh, timeoutSec: 0.3 + index * 0.05 })
    const results: Awaited<ReturnType<typeof runAll>> = []
    for (let round = 0; round < 3; round++)
      results.push(...(await runAll(Array.from({ length: 8 }, (_, index) => killedAfter(round + index * 3)))))
    const [last] = await runAll([runOf(user, { context: refresh })])
    const { tokens, outcomes } = summarize([last!])
    const kinds = await listKinds(user)
    expect({
      torn: results.filter(({ run }) => !run.ok && run.reason !== 'timeout'),
      tokens: tokens.length,
      outcomes,
      kinds: kinds.filter((kind) => kind !== 'tmp' && kind !== 'holder'),
    }).toEqual({ torn: [], tokens: 1, outcomes: ['good'], kinds: ['json', 'lock', 'served'] })
  })
})

describe('a helper at its deadline on Windows ends by itself and names', () => {
  test('a source that does not answer', async () => {
    const user = await startUser()
    user.source.hangOnce()
    expect(toStableValue(await runAlone(user, user.source.argv()))).toEqual(
      late('the token exchange at 127.0.0.1:PORT (waiting for 127.0.0.1:PORT to answer)'),
    )
  })

  test('a TLS handshake that does not finish', async () => {
    const user = await startUser()
    const port = await startSilentServer()
    const argv = [...user.source.argv(), '--base-url', `https://127.0.0.1:${port}`]
    const { stderr, ...rest } = toStableValue(await runAlone(user, argv))
    // On a busy machine it is still connecting.
    expect({ ...rest, stderr: stderr?.replace('(connecting to', '(in the TLS handshake with') }).toEqual(
      late('the token exchange at 127.0.0.1:PORT (in the TLS handshake with 127.0.0.1:PORT)'),
    )
  })

  test('a file whose reading never ends', async () => {
    const user = await startUser()
    const fifo = join(machine.directory, 'fifo')
    await promisify(execFile)('mkfifo', [fifo])
    // A writer keeps the FIFO open; without one, reading would end at once.
    const writer = await open(fifo, 'r+')
    onTestFinished(() => writer.close())
    const argv = [...user.source.argv(), '--identity', 'file', '--identity-file', machine.pathOf('fifo')]
    // On Windows a process with a stuck thread is terminated with another exit status.
    expect(await runAlone(user, argv)).toEqual({
      ...late(`reading the configuration (waiting for ${machine.pathOf('fifo')})`),
      status: 1,
    })
  })

  test('another run that it waits for', async () => {
    const user = await startUser()
    user.source.hangOnce()
    const startWaiter = async () => {
      await waitUntil('the source is asked', () => user.source.mints() === 1)
      return runAll([runOf(user, { argv: ['--client-timeout', '6'] })])
    }
    const [, [waiter]] = await Promise.all([runAll([runOf(user, { timeoutSec: 15 })]), startWaiter()])
    const { run } = withoutTime(waiter!)
    expect({ ...run, stderr: toStableText(run.stderr).replace(/process \d+/, 'process N') }).toEqual({
      ok: false,
      reason: 'exit-status',
      status: 7,
      survivors: 'none',
      message: 'the helper failed with exit status 7',
      stderr: late('another run of workload-token, at work since DATE (process N),').stderr,
    })
  })
})

const late = (stage: string) => ({
  status: 7,
  stdout: '',
  stderr: `workload-token: ${stage} took longer than the 4 s of this call\nworkload-token: hint: find out why it is slow, or raise timeoutSec in the client's document and client-timeout here\n`,
})
let alone = 0

/** Makes one run without a client, to see its streams and its status unchanged. */
async function runAlone({ env }: User, argv: readonly string[]) {
  const [stdout, stderr] = [`out-${alone}.txt`, `err-${alone++}.txt`]
  const args = [machine.pathOf('helper.cjs'), ...argv, '--client-timeout', '6']
  const startedAt = Date.now()
  const status = await machine.run('node.exe', args, { env, stdout, stderr })
  // Wine itself starts slowly on a busy machine.
  expect(Date.now() - startedAt).toBeLessThan(12_000)
  const [out, err] = await Promise.all([stdout, stderr].map((name) => readFile(join(machine.directory, name), 'utf8')))
  return { status, stdout: out, stderr: err }
}

/** Starts a server that accepts connections and never answers. */
async function startSilentServer(): Promise<number> {
  const server = createServer(() => {})
  return listenDuringTest(server)
}
