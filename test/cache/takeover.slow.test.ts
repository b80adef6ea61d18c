import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ClientContext } from '../../src/contract/context.ts'
import { listOpenPaths } from '../setup/find-processes.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { waitUntil } from '../setup/wait-until.ts'
import { type CountableSource, startCountableSource } from './countable-source.ts'
import { ageEntries, listCache, listKinds, type Run, startRun, startRuns, summarize, untilHeld } from './start-run.ts'

/** Three such calls end before AWS's ten seconds for an answer, after which a hanging holder asks again. */
const impatient = ['--client-timeout', '4']
const refresh = 'mid-session-refresh'

/** The summary of runs that print the same token. */
const served = { statuses: ['0'], tokens: [expect.any(String)], said: [''] }

describe.each(listLongTestedHelpers())('%s', (helper) => {
  /** Starts a run that has the lock, and whose source never answers. */
  const startHangingHolder = async (source: CountableSource, context: ClientContext = refresh): Promise<Run> => {
    const before = source.mints()
    source.hangOnce()
    const holder = startRun(helper, source, { argv: ['--client-timeout', '600'], context })
    await waitUntil('the source is asked', () => source.mints() === before + 1)
    return holder
  }

  /** With everything that it has started: the run alone takes nothing of a renewal with it. */
  const killHolder = (source: CountableSource, holder: Run) => {
    for (const worker of source.listWorkers?.() ?? []) process.kill(worker, 'SIGKILL')
    holder.kill('SIGKILL')
  }

  /** Returns the message of a waiting run about the process that holds the lock. */
  const atWork = ({ pid }: Run, since = 'DATE') =>
    `another run of ${helper}, at work since ${since} (process ${pid}), took longer than the 2 s of this call`
  const late = (message: string) => ({
    status: 7,
    stdout: '',
    stderr: `${helper}: ${message}\n${helper}: hint: find out why it is slow, or raise timeoutSec in the client's document and client-timeout here\n`,
  })

  test('a holder that is killed while it mints is replaced at once, and leaves nothing', async () => {
    const source = await startCountableSource(helper)
    const holder = await startHangingHolder(source)
    killHolder(source, holder)
    await holder.outcome
    const run = startRun(helper, source)
    const summary = await summarize([run])
    expect({ summary, isAtOnce: (await run.outcome).ms < 5_000, kinds: await listKinds(source) }).toEqual({
      summary: served,
      isAtOnce: true,
      kinds: ['json', 'lock', 'served'],
    })
  })

  test('when a holder is killed, one waiter takes over, and the others share its token', async () => {
    const source = await startCountableSource(helper)
    const holder = await startHangingHolder(source)
    const waiters = startRuns(5, helper, source)
    await untilWaiting(...waiters)
    const killed = performance.now()
    killHolder(source, holder)
    const summary = await summarize(waiters)
    const isAtOnce = performance.now() - killed < 5_000
    expect({ summary, isAtOnce, mints: source.mints() }).toEqual({ summary: served, isAtOnce: true, mints: 2 })
  })

  test('a waiter that is killed does not disturb the others', async () => {
    const source = await startCountableSource(helper)
    source.delay(3_000)
    const holder = startRun(helper, source)
    await untilHeld(source)
    const waiter = startRun(helper, source)
    const killed = startRun(helper, source)
    await untilWaiting(killed)
    killed.kill('SIGKILL')
    expect(await summarize([holder, waiter])).toEqual(served)
    expect(source.mints()).toBe(1)
  })

  test.each(['hangs', 'is stopped'])('while a holder %s, others end in time and name the holder', async (how) => {
    const source = await startCountableSource(helper)
    const holder = await startHangingHolder(source)
    if (how === 'is stopped') holder.kill('SIGSTOP')
    const outcomes = await Promise.all(startRuns(2, helper, source, { argv: impatient }).map((run) => run.outcome))
    const { since } = JSON.parse(await readNote(source)) as { since: number }
    const ended = { ...late(atWork(holder, new Date(since).toISOString())), isInTime: true }
    expect(outcomes.map(({ ms, ...outcome }) => ({ ...outcome, isInTime: ms < 4_000 }))).toEqual([ended, ended])
  })

  test('while a holder hangs, a token that still lives is served with a warning, but not in a refresh', async () => {
    const source = await startCountableSource(helper)
    const { ms: _, ...first } = await startRun(helper, source).outcome
    await ageEntries(source, 60_000)
    const holder = await startHangingHolder(source, 'interactive')
    const run = async (context: ClientContext) => {
      const { ms: _, ...outcome } = await startRun(helper, source, { argv: impatient, context }).outcome
      return toStableValue(outcome)
    }
    const calm = await run('interactive')
    // To the process that was handed it a moment ago, a refresh is a refusal, after which nobody is served it.
    // Where the helper keeps the last token itself, it first waits to remove that.
    const changes = `another run that changes the sign-in to 127.0.0.1:PORT took longer than the 2 s of this call`
    expect([calm, await run(refresh), await run('interactive')]).toEqual([
      toStableValue({
        ...first,
        stderr: `${helper}: warning: ${atWork(holder)}; serving the last token, which is good until DATE\n`,
      }),
      late(source.keepsLast ? changes : atWork(holder)),
      late(atWork(holder)),
    ])
  })

  test('a holder that is continued after a stop finishes its work', async () => {
    const source = await startCountableSource(helper)
    source.delay(500)
    const holder = startRun(helper, source)
    await untilHeld(source)
    holder.kill('SIGSTOP')
    const waiter = startRun(helper, source)
    await untilWaiting(waiter)
    holder.kill('SIGCONT')
    const { tokens } = await summarize([holder, waiter])
    expect({ tokens: tokens.length, mints: source.mints() }).toEqual({ tokens: 1, mints: 1 })
  })
})

/** Waits until each run has the lock's file open, and so asks for the lock again and again. */
function untilWaiting(...runs: readonly Run[]): Promise<void> {
  const hasOpenLock = async ({ pid }: Run) =>
    (await listOpenPaths(pid)).some((path) => /\/gatepass\/(?!renewal-)[^/]+\.lock$/.test(path))
  return waitUntil('every run waits for the lock', async () =>
    (await Promise.all(runs.map(hasOpenLock))).every(Boolean),
  )
}

async function readNote(source: CountableSource): Promise<string> {
  const name = (await listCache(source)).find((file) => file.endsWith('.holder')) ?? 'no note'
  return readFile(join(source.home, '.cache', 'gatepass', name), 'utf8')
}
