import type { ClientContext } from '../../../contract/context.ts'
import type { CheckRunner } from '../runs/check-runner.ts'
import { isHealthy, type Run, renderMs } from '../runs/run.ts'
import type { RunRequest } from '../runs/run-request.ts'
import type { Limits, Observation, Setting } from './scenario.ts'

/** A run without its limit. */
export type Plain = Omit<RunRequest, 'limitMs'>

/** A run in a context, and nothing else about it. */
export function inContext(context: ClientContext): Plain {
  return { title: `in the context ${context}`, context }
}

/** A run in `background`, of which something else is unusual. */
export function quietly(title: string): Plain {
  return { title, context: 'background' }
}

/** One after the other; none is waited for much longer than the first run of all took. */
export async function inTurn({ bench, limits }: Setting, requests: readonly Plain[]): Promise<Observation> {
  const runs: Run[] = []
  for (const request of requests) runs.push(await bench.run({ ...request, limitMs: patienceMs(bench, limits) }))
  return { runs }
}

function patienceMs({ runs }: CheckRunner, { timeoutMs }: Limits): number {
  return Math.min(timeoutMs, Math.max(10_000, 4 * (runs[0]?.durationMs ?? 0)))
}

/** Runs made at once. The issue of overlapping runs shows from two on; ten leave little to chance. */
const parallelRuns = 10

/** Windows that open at once and sessions that refresh at once, and then one more, which finds what they left. */
export async function runInParallel({ bench, limits }: Setting): Promise<Observation> {
  const requests = Array.from({ length: parallelRuns }, (_, index) =>
    index % 2 === 0
      ? { context: 'interactive', limitMs: limits.timeoutMs }
      : { context: 'mid-session-refresh', limitMs: limits.refreshMs },
  )
  const runs = await Promise.all(
    requests.map((request) => bench.run({ ...request, title: `in ${request.context}, ten at once` })),
  )
  const next = await bench.run({ ...quietly('right after ten runs at once'), limitMs: limits.timeoutMs })
  return { runs: [...runs, next] }
}

/** Where in its usual duration a run is cut off. */
const killMoments = [0.3, 0.6, 0.9]

/** How many times a run is cut off. */
export const killCount = killMoments.length

/** In `mid-session-refresh`, where something is obtained and written; what was left behind is met in both kinds of run. */
export async function runAfterKills({ bench, limits }: Setting): Promise<Observation> {
  const usualMs = Math.min(...bench.runs.filter(isUsualRefresh).map(({ durationMs }) => durationMs))
  const runs: Run[] = []
  for (const moment of killMoments) {
    const limitMs = Math.max(1, Math.round(moment * usualMs))
    const title = `after a kill at ${renderMs(limitMs)}`
    runs.push(await bench.run({ title, context: 'mid-session-refresh', limitMs, purpose: 'killed' }))
    runs.push(await bench.run({ ...quietly(`in background, ${title}`), limitMs: patienceMs(bench, limits) }))
    const again = { title: `in mid-session-refresh, ${title}`, context: 'mid-session-refresh' }
    runs.push(await bench.run({ ...again, limitMs: limits.refreshMs }))
    if (!runs.filter(({ purpose }) => purpose === 'seen').every(isHealthy)) break
  }
  return { runs }
}

function isUsualRefresh(run: Run): boolean {
  return run.context === 'mid-session-refresh' && run.isNetworkWell && isHealthy(run)
}

/** The observation of one run. */
export async function single(run: Promise<Run>): Promise<Observation> {
  return { runs: [await run] }
}

/** What cannot be observed here, and why. */
export async function absent(reason: string): Promise<Observation> {
  return { absent: reason }
}
