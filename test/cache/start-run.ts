import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import type { ClientContext } from '../../src/contract/context.ts'
import { toContextVariables } from '../../src/contract/detect-context.ts'
import { type PreparedRun, prepareRun } from '../setup/prepare-run.ts'
import type { Outcome } from '../setup/run-program.ts'
import { waitUntil } from '../setup/wait-until.ts'
import type { CountableSource } from './countable-source.ts'

/** One run of a helper. */
export interface Run extends Pick<PreparedRun, 'pid' | 'kill'> {
  readonly outcome: Promise<Outcome & { ms: number }>
}

export interface RunParts {
  readonly context?: ClientContext
  /** Added to those of the source. */
  readonly argv?: readonly string[]
  readonly key?: number
  readonly env?: Readonly<Record<string, string>>
  /** A user and group without rights of their own. */
  readonly as?: number
}

/** Starts the built helper as a client does. It is ended with the test. */
export function startRun(helper: string, source: CountableSource, parts: RunParts = {}): Run {
  const run = prepareHelper(helper, source, parts)
  run.begin()
  return run
}

/**
 * Runs the helper that often at once. To start a process takes its time and blocks this one, in which the source has to
 * answer: so all are there before the first one begins.
 */
export function startRuns(count: number, helper: string, source: CountableSource, parts: RunParts = {}): Run[] {
  const runs = Array.from({ length: count }, () => prepareHelper(helper, source, parts))
  for (const run of runs) run.begin()
  return runs
}

/** Prepares a run of the helper, which begins later, and measures it from then on. */
export function prepareHelper(helper: string, source: CountableSource, parts: RunParts = {}): Run & { begin(): void } {
  const { context = 'interactive', argv = [], key = 0, env = {}, as } = parts
  const whole = { ...source.env, ...toContextVariables(context), ...env }
  const run = prepareRun(toBundlePath(helper), [...source.argv(key), ...argv], whole, as)
  let begin = performance.now()
  const outcome = run.outcome.then((ended) => ({ ...ended, ms: performance.now() - begin }))
  return {
    ...run,
    outcome,
    begin: () => {
      begin = performance.now()
      void run.begin()
    },
  }
}

/** Summarizes runs: their statuses, tokens and texts on stderr, each different one once. */
export async function summarize(runs: readonly Run[]) {
  const outcomes = await Promise.all(runs.map(({ outcome }) => outcome))
  const distinct = (texts: readonly string[]) => [...new Set(texts)]
  return {
    statuses: distinct(outcomes.map(({ status }) => String(status))),
    // A run that failed is told by its status and its words.
    tokens: distinct(outcomes.filter(({ status }) => status === 0).map(({ stdout }) => tokenOf(stdout))),
    said: distinct(outcomes.map(({ stderr }) => stderr)),
  }
}

/** Returns the token on stdout. Throws where there is none, or half of one. */
export function tokenOf(stdout: string): string {
  const { token } = JSON.parse(stdout) as { token: unknown }
  if (typeof token !== 'string') throw new Error('there is no token on stdout')
  return token
}

/** Whatever has a home directory. */
type Desk = Pick<CountableSource, 'home'>

/** Returns the cache's directory in a home directory. */
export function cacheIn({ home }: Desk): string {
  return join(home, '.cache', 'gatepass')
}

/** Lists the names of the files there; none while it is not there. */
export async function listCache(source: Desk): Promise<string[]> {
  return readdir(cacheIn(source)).catch(() => [])
}

/**
 * Lists the kinds of the files there, sorted. The locks by which runs and renewals find each other are left out: they stay, as empty files.
 * A note beside them does not.
 */
export async function listKinds(source: Desk): Promise<string[]> {
  const names = (await listCache(source)).filter((name) => !/^renewal-(start-)?[0-9a-f]{40}\.lock$/.test(name))
  return names.map((name) => name.replace(/.*\./, '')).sort()
}

/** Makes every entry look as if it had been minted that much earlier, and would end as it does. */
export async function ageEntries(source: Desk, ms: number): Promise<void> {
  await editEntries(source, ({ minted, ...entry }) => ({ ...entry, minted: Number(minted) - ms }))
}

/** Changes every entry. Another test asserts the content of an entry. */
export async function editEntries(
  source: Desk,
  change: (entry: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  for (const name of (await listCache(source)).filter((file) => file.endsWith('.json'))) {
    const path = join(cacheIn(source), name)
    const entry = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown> // an object, see above
    await writeFile(path, JSON.stringify(change(entry)))
  }
}

/** Waits until somebody has the lock, and has said so. */
export function untilHeld(source: Desk): Promise<void> {
  return waitUntil('somebody has the lock', async () =>
    (await listCache(source)).some((name) => name.endsWith('.holder')),
  )
}
