import { setTimeout as sleep } from 'node:timers/promises'
import type { HelperClient } from '../../../contract/clients/client.ts'
import type { ClientContext } from '../../../contract/context.ts'
import type { CheckRunner } from '../runs/check-runner.ts'
import { isHealthy, type Run } from '../runs/run.ts'
import type { RunRequest } from '../runs/run-request.ts'
import type { Limits, Observation, ScenarioSetup } from './scenario.ts'

/** A run whose time limit its scenario decides. */
export type UnlimitedRequest = Omit<RunRequest, 'limitMs'>

/** A plain run in a context; of a client that tells none, the context only says which run it is. */
export function createContextRequest(context: ClientContext, { context: told }: HelperClient): UnlimitedRequest {
  if (told === 'told') return { title: `in the context ${context}`, context }
  return { title: context === 'mid-session-refresh' ? 'when it was run again' : 'in the first run', context }
}

/** A run in `background` with another condition, which the title names. */
export function createBackgroundRequest(title: string): UnlimitedRequest {
  return { title, context: 'background' }
}

/**
 * Makes runs one after the other, or at once where ten runs at once were healthy. The time limit of each depends on how
 * long the good runs so far took.
 */
export async function runAll(setup: ScenarioSetup, requests: readonly UnlimitedRequest[]): Promise<Observation> {
  const run = (request: UnlimitedRequest) =>
    setup.runner.run({ ...request, limitMs: computeWaitLimitMs(setup.runner, setup.limits) })
  if (isHealthyInParallel(setup)) return { runs: await Promise.all(requests.map(run)) }
  const runs: Run[] = []
  for (const request of requests) runs.push(await run(request))
  return { runs }
}

/** Whether runs at once were tried, may be made, and all gave a token. */
export function isHealthyInParallel({ pace, earlier }: ScenarioSetup): boolean {
  return pace === 'at-once' && isEveryRunHealthy(earlier.get('parallel'))
}

/** Whether runs were made, and all gave a token. */
export function isEveryRunHealthy(observed: Observation | undefined): boolean {
  return observed !== undefined && 'runs' in observed && observed.runs.length > 0 && observed.runs.every(isHealthy)
}

/** Long enough for a good run, ten at once included; a run that hangs need not take the client's whole timeout. */
export function computeWaitLimitMs({ runs }: CheckRunner, { timeoutMs }: Limits): number {
  const usual = runs.filter((run) => isHealthy(run) && run.isNetworkIntact).map(({ durationMs }) => durationMs)
  return Math.min(timeoutMs, Math.max(10_000, 4 * Math.max(0, ...usual)))
}

/** Overlapping runs can fail from two on; ten make it likely that they do. */
const parallelRuns = 10

/** Runs of windows that open and sessions that refresh at once. */
export async function runInParallel({ runner, limits, client }: ScenarioSetup): Promise<Observation> {
  const requests = Array.from({ length: parallelRuns }, (_, index) =>
    index % 2 === 0
      ? { context: 'interactive', limitMs: limits.timeoutMs }
      : { context: 'mid-session-refresh', limitMs: limits.refreshMs },
  )
  const runs = await Promise.all(
    requests.map((request) =>
      runner.run({
        ...request,
        title: client.context === 'told' ? `in ${request.context}, ten at once` : 'ten at once',
      }),
    ),
  )
  return { runs }
}

/** Tokens of the same second may be equal, because their times are in whole seconds. */
const secondMs = 1100

/** Waits before the first refresh, so that its token can be compared with those of the runs before. */
export async function waitBeforeRefresh({ runs }: CheckRunner, signal: AbortSignal): Promise<void> {
  if (runs.some(({ context }) => context === 'mid-session-refresh')) return
  // The same moment of two runs in a row is as far apart as the first of them takes.
  const shortestMs = Math.min(...runs.filter(isHealthy).map(({ durationMs }) => durationMs))
  await sleep(Math.max(0, secondMs - shortestMs), undefined, { signal })
}

/** One run as an observation. */
export async function toObservation(run: Promise<Run>): Promise<Observation> {
  return { runs: [await run] }
}

/** The observation of a scenario that this system cannot make. */
export async function toUnavailable(reason: string): Promise<Observation> {
  return { unavailable: reason }
}
