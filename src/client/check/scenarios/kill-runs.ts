import { setTimeout as sleep } from 'node:timers/promises'
import { isHealthy, type Run, renderMs } from '../runs/run.ts'
import type { Observation, ScenarioSetup } from './scenario.ts'
import {
  computeWaitLimitMs,
  createBackgroundRequest,
  isHealthyInParallel,
  type UnlimitedRequest,
} from './scenario-runs.ts'

/**
 * At which parts of its usual duration a run is killed. At once, runs may wait for one another's lock: then each is killed
 * as long after the one before as it has worked, so these pauses differ.
 */
const killedAt = { 'one-at-a-time': [0.3, 0.6, 0.9], 'at-once': [0.15, 0.4, 0.75] } as const

/** Kills runs in `mid-session-refresh`, where a helper obtains and writes something, then runs it in both contexts. */
export async function runAfterKills(setup: ScenarioSetup): Promise<Observation> {
  return { runs: isHealthyInParallel(setup) ? await killAtOnce(setup) : await killOneByOne(setup) }
}

async function killAtOnce(setup: ScenarioSetup): Promise<readonly Run[]> {
  const moments = computeKillMoments(setup, killedAt['at-once'])
  const killed = await Promise.all(moments.map((limitMs) => runAndKill(setup, limitMs)))
  const checks = createChecks(`after kills at ${moments.map(renderMs).join(', ')}`).map(async (request, index) => {
    await sleep(index * (moments[0] ?? 0), undefined, { signal: setup.signal }) // a refresh may repair what the first one finds
    return runOnce(setup, request)
  })
  return [...killed, ...(await Promise.all(checks))]
}

async function killOneByOne(setup: ScenarioSetup): Promise<readonly Run[]> {
  const runs: Run[] = []
  for (const limitMs of computeKillMoments(setup, killedAt['one-at-a-time'])) {
    runs.push(await runAndKill(setup, limitMs))
    for (const request of createChecks(`after a kill at ${renderMs(limitMs)}`)) runs.push(await runOnce(setup, request))
    if (!runs.filter(({ purpose }) => purpose === 'observed').every(isHealthy)) break
  }
  return runs
}

/** In milliseconds after the start of a run. */
function computeKillMoments({ runner }: ScenarioSetup, parts: readonly number[]): number[] {
  const usualMs = Math.min(...runner.runs.filter(isPlainRefresh).map(({ durationMs }) => durationMs))
  return parts.map((part) => Math.max(1, Math.round(part * usualMs)))
}

function isPlainRefresh(run: Run): boolean {
  return run.context === 'mid-session-refresh' && run.isNetworkIntact && isHealthy(run)
}

function runAndKill({ runner }: ScenarioSetup, limitMs: number): Promise<Run> {
  const title = `until a kill at ${renderMs(limitMs)}`
  return runner.run({ title, context: 'mid-session-refresh', limitMs, purpose: 'killed' })
}

function createChecks(title: string): readonly UnlimitedRequest[] {
  return [
    createBackgroundRequest(`in background, ${title}`),
    { title: `in mid-session-refresh, ${title}`, context: 'mid-session-refresh' },
  ]
}

function runOnce({ runner, limits }: ScenarioSetup, request: UnlimitedRequest): Promise<Run> {
  const limitMs = request.context === 'background' ? computeWaitLimitMs(runner, limits) : limits.refreshMs
  return runner.run({ ...request, limitMs })
}
