// Makes the runs of which the scenarios in `scenarios.ts` consist.

import { setTimeout as sleep } from 'node:timers/promises'
import { type HelperClient, isContextTold } from '../../contract/client.ts'
import type { ClientContext } from '../../contract/context.ts'
import type { Limits, ScenarioObservation, ScenarioSetup } from './check-scenario.ts'
import { barePath, isTerminalVariable } from './desktop-environment.ts'
import type { CheckRunner } from './runs/check-runner.ts'
import { type CheckRunRequest, isHealthy, type Run } from './runs/run.ts'

/** A run whose limit is set by its scenario. */
export type UnlimitedRequest = Omit<CheckRunRequest, 'limitMs'>

/** Requests a plain run in a context. For a client that states no context, the context is only the title of the run. */
export function createContextRequest(context: ClientContext, client: HelperClient): UnlimitedRequest {
  if (isContextTold(client)) return { title: `in the context ${context}`, context }
  return { title: context === 'mid-session-refresh' ? 'when it was run again' : 'in the first run', context }
}

/** Requests a run in `background` under another condition, which is the title. */
export function createBackgroundRequest(title: string): UnlimitedRequest {
  return { title, context: 'background' }
}

/**
 * Makes runs one after the other, or in parallel if ten parallel runs were healthy. The limit of each depends on the duration of the good
 * runs so far.
 */
export async function runAll(
  setup: ScenarioSetup,
  requests: readonly UnlimitedRequest[],
): Promise<ScenarioObservation> {
  const run = (request: UnlimitedRequest) =>
    setup.runner.run({ ...request, limitMs: computeWaitLimitMs(setup.runner, setup.limits) })
  if (isHealthyInParallel(setup)) return { runs: await Promise.all(requests.map(run)) }
  const runs: Run[] = []
  for (const request of requests) runs.push(await run(request))
  return { runs }
}

/**
 * Runs the helper without the variables of a terminal. If the run gives no token, the helper runs again without only those that a desktop
 * never sets, because the others may be set for every program.
 */
export async function runInDesktopEnvironment(setup: ScenarioSetup): Promise<ScenarioObservation> {
  const runWithout = (title: string, names: readonly string[]) => {
    const env = { ...Object.fromEntries(names.map((name) => [name, undefined])), PATH: barePath }
    return runAll(setup, [{ ...createBackgroundRequest(title), env }])
  }
  const observed = await runWithout('in the environment of a desktop', setup.shellVariables)
  const ofTerminal = setup.shellVariables.filter(isTerminalVariable)
  if (isEveryRunHealthy(observed) || ofTerminal.length === 0 || !('runs' in observed)) return observed
  const again = await runWithout(`without ${ofTerminal.join(', ')}`, ofTerminal)
  return 'runs' in again ? { runs: [...observed.runs, ...again.runs] } : again
}

/** Returns whether the pace permits parallel runs, and all parallel runs so far gave a token. */
export function isHealthyInParallel({ pace, earlier }: ScenarioSetup): boolean {
  return pace === 'at-once' && isEveryRunHealthy(earlier.get('parallel'))
}

/** Returns whether runs were made, and all of them gave a token. */
export function isEveryRunHealthy(observed: ScenarioObservation | undefined): boolean {
  return observed !== undefined && 'runs' in observed && observed.runs.length > 0 && observed.runs.every(isHealthy)
}

/**
 * Computes a limit that is sufficient for a good run, even beside nine others, so that a run that hangs does not take the client's whole
 * timeout.
 */
export function computeWaitLimitMs({ runs }: CheckRunner, { timeoutMs }: Limits): number {
  const usual = runs.filter((run) => isHealthy(run) && run.isNetworkIntact).map(({ durationMs }) => durationMs)
  return Math.min(timeoutMs, Math.max(10_000, 4 * Math.max(0, ...usual)))
}

/** Two overlapping runs can already fail; ten make it likely. */
const parallelRunCount = 10

/** Makes parallel runs, as a client does when several windows open or sessions refresh. */
export async function runInParallel({ runner, limits, client }: ScenarioSetup): Promise<ScenarioObservation> {
  const requests = Array.from({ length: parallelRunCount }, (_, index) =>
    index % 2 === 0
      ? { context: 'interactive', limitMs: limits.timeoutMs }
      : { context: 'mid-session-refresh', limitMs: limits.refreshMs },
  )
  const runs = await Promise.all(
    requests.map((request) =>
      runner.run({
        ...request,
        title: isContextTold(client) ? `in ${request.context}, ten at once` : 'ten at once',
      }),
    ),
  )
  return { runs }
}

/** Obtains a token, runs a refresh that reports the token as refused, and obtains one again. */
export async function runRefusal({ runner, limits, signal }: ScenarioSetup): Promise<ScenarioObservation> {
  const held = await runner.run({ ...createBackgroundRequest('before a refusal'), limitMs: limits.timeoutMs })
  await sleep(nextSecondMs, undefined, { signal })
  const title = 'in mid-session-refresh, told that its token was refused'
  const request = { title, context: 'mid-session-refresh', refreshCause: 'refused' } as const
  const refusal = await runner.run({ ...request, limitMs: limits.refreshMs })
  const again = createBackgroundRequest('in background, after the refresh that followed a refusal')
  return { runs: [held, refusal, await runner.run({ ...again, limitMs: limits.timeoutMs })] }
}

/** Tokens of the same second may be equal, because their times are whole seconds. */
const nextSecondMs = 1100

/** Waits after a refresh with a token, so that the next token differs. */
export async function waitAfterToken(observed: ScenarioObservation | undefined, signal: AbortSignal): Promise<void> {
  if (isEveryRunHealthy(observed)) await sleep(nextSecondMs, undefined, { signal })
}

/** Waits before the first refresh, so that its token can be compared with those of earlier runs. */
export async function waitBeforeRefresh({ runs }: CheckRunner, signal: AbortSignal): Promise<void> {
  if (runs.some(({ context }) => context === 'mid-session-refresh')) return
  // The wait begins at the end of the last run: on a busy machine, one run may obtain its token late and the next one early.
  await sleep(nextSecondMs, undefined, { signal })
}

/** Waits for a run, which is the only run of the observation. */
export async function observeOnce(run: Promise<Run>): Promise<ScenarioObservation> {
  return { runs: [await run] }
}

/** Returns the observation of a scenario that is impossible on this system. */
export function skipScenario(reason: string): ScenarioObservation {
  return { unavailable: reason }
}
