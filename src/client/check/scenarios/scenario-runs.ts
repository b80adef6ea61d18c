import type { ClientContext } from '../../../contract/context.ts'
import type { CheckRunner } from '../runs/check-runner.ts'
import { isHealthy, type Run, renderMs } from '../runs/run.ts'
import type { RunRequest } from '../runs/run-request.ts'
import type { Limits, Observation, ScenarioSetup } from './scenario.ts'

/** A run whose time limit its scenario decides. */
export type UnlimitedRequest = Omit<RunRequest, 'limitMs'>

/** A plain run in a context. */
export function createContextRequest(context: ClientContext): UnlimitedRequest {
  return { title: `in the context ${context}`, context }
}

/** A run in `background` with another condition, which the title names. */
export function createBackgroundRequest(title: string): UnlimitedRequest {
  return { title, context: 'background' }
}

/** Makes runs one after the other. The time limit of each depends on how long the first run of the check took. */
export async function runSequentially(
  { runner, limits }: ScenarioSetup,
  requests: readonly UnlimitedRequest[],
): Promise<Observation> {
  const runs: Run[] = []
  for (const request of requests) runs.push(await runner.run({ ...request, limitMs: waitLimitMs(runner, limits) }))
  return { runs }
}

function waitLimitMs({ runs }: CheckRunner, { timeoutMs }: Limits): number {
  return Math.min(timeoutMs, Math.max(10_000, 4 * (runs[0]?.durationMs ?? 0)))
}

/** Overlapping runs can fail from two on; ten make it likely that they do. */
const parallelRuns = 10

/** Runs of windows that open and sessions that refresh at once, then one more, which finds the state that they left. */
export async function runInParallel({ runner, limits }: ScenarioSetup): Promise<Observation> {
  const requests = Array.from({ length: parallelRuns }, (_, index) =>
    index % 2 === 0
      ? { context: 'interactive', limitMs: limits.timeoutMs }
      : { context: 'mid-session-refresh', limitMs: limits.refreshMs },
  )
  const runs = await Promise.all(
    requests.map((request) => runner.run({ ...request, title: `in ${request.context}, ten at once` })),
  )
  const next = await runner.run({
    ...createBackgroundRequest('right after ten runs at once'),
    limitMs: limits.timeoutMs,
  })
  return { runs: [...runs, next] }
}

/** At which parts of its usual duration a run is killed. */
const killedAt = [0.3, 0.6, 0.9]

/** How many runs are killed. */
export const killCount = killedAt.length

/** Kills runs in `mid-session-refresh`, where a helper obtains and writes something, then runs it in both contexts. */
export async function runAfterKills({ runner, limits }: ScenarioSetup): Promise<Observation> {
  const usualMs = Math.min(...runner.runs.filter(isPlainRefresh).map(({ durationMs }) => durationMs))
  const runs: Run[] = []
  for (const part of killedAt) {
    const limitMs = Math.max(1, Math.round(part * usualMs))
    const title = `after a kill at ${renderMs(limitMs)}`
    runs.push(await runner.run({ title, context: 'mid-session-refresh', limitMs, purpose: 'killed' }))
    runs.push(
      await runner.run({ ...createBackgroundRequest(`in background, ${title}`), limitMs: waitLimitMs(runner, limits) }),
    )
    const again = { title: `in mid-session-refresh, ${title}`, context: 'mid-session-refresh' }
    runs.push(await runner.run({ ...again, limitMs: limits.refreshMs }))
    if (!runs.filter(({ purpose }) => purpose === 'observed').every(isHealthy)) break
  }
  return { runs }
}

function isPlainRefresh(run: Run): boolean {
  return run.context === 'mid-session-refresh' && run.isNetworkIntact && isHealthy(run)
}

/** One run as an observation. */
export async function toObservation(run: Promise<Run>): Promise<Observation> {
  return { runs: [await run] }
}

/** The observation of a scenario that this system cannot make. */
export async function toUnavailable(reason: string): Promise<Observation> {
  return { unavailable: reason }
}
