// Holds the table of all scenarios of a check, in their order.

import { setTimeout as sleep } from 'node:timers/promises'
import { isContextTold } from '../../contract/client.ts'
import { renderMs } from '../../runtime/values/duration.ts'
import type { CheckScenario, ScenarioName, ScenarioObservation, ScenarioSetup } from './check-scenario.ts'
import { barePath } from './desktop-environment.ts'
import { type BrokenNetwork, startBrokenProxy } from './runs/broken-proxy.ts'
import { hasTerminalProgram } from './runs/pseudo-terminal.ts'
import { isHealthy, type Run } from './runs/run.ts'
import {
  computeWaitLimitMs,
  createBackgroundRequest,
  createContextRequest,
  isHealthyInParallel,
  observeOnce,
  runAll,
  runInDesktopEnvironment,
  runInParallel,
  runRefusal,
  skipScenario,
  type UnlimitedRequest,
  waitAfterToken,
  waitBeforeRefresh,
} from './scenario-runs.ts'

/** The common members of scenarios that change one condition of the first run. */
const condition = { stage: 'condition', after: ['background'] } as const

/**
 * Every scenario, in the order of the pace `one-at-a-time`. Harmless scenarios come first; those without a network come before a refresh
 * obtains a new token; and the refresh comes after normal runs, so that its token can be compared with theirs.
 */
export const scenarios: Readonly<Record<ScenarioName, CheckScenario>> = {
  background: {
    stage: 'alone',
    after: [],
    observe: ({ runner, limits, client }) =>
      observeOnce(runner.run({ ...createContextRequest('background', client), limitMs: limits.timeoutMs })),
  },
  'silent-contexts': {
    ...condition,
    isFor: isContextTold,
    observe: (setup) =>
      runAll(setup, [
        createContextRequest('setup-test', setup.client),
        createContextRequest('scheduled-task', setup.client),
        { title: 'in a context that does not exist yet', context: 'a-context-of-next-year' },
        { title: 'without a context', context: undefined },
      ]),
  },
  interactive: {
    ...condition,
    observe: (setup) => runAll(setup, [createContextRequest('interactive', setup.client)]),
  },
  'closed-stdin': {
    ...condition,
    observe: async (setup) =>
      setup.platform === 'win32'
        ? skipScenario('a closed stdin is tried on Linux and macOS only')
        : runAll(setup, [{ ...createBackgroundRequest('with stdin closed'), stdin: 'closed' }]),
  },
  'open-stdin': {
    ...condition,
    observe: (setup) => {
      const request = createBackgroundRequest('with an open stdin that nobody writes to')
      return runAll(setup, [{ ...request, stdin: 'silent' }])
    },
  },
  'bare-path': {
    ...condition,
    observe: async (setup) =>
      setup.platform === 'win32'
        ? skipScenario('a bare PATH is tried on Linux and macOS only')
        : runAll(setup, [{ ...createBackgroundRequest(`with PATH=${barePath}`), env: { PATH: barePath } }]),
  },
  'desktop-environment': {
    ...condition,
    observe: async (setup) =>
      setup.platform === 'win32'
        ? skipScenario('not tried on Windows, where a terminal starts with the environment of the desktop')
        : runInDesktopEnvironment(setup),
  },
  'without-arguments': {
    ...condition,
    observe: (setup) =>
      setup.hasArguments
        ? runAll(setup, [{ ...createBackgroundRequest('without arguments'), args: [] }])
        : Promise.resolve(setup.earlier.get('background') ?? { runs: [] }),
  },
  terminal: {
    ...condition,
    observe: async (setup) =>
      (await hasTerminalProgram(setup.platform))
        ? runAll(setup, [{ ...createBackgroundRequest('with a terminal'), stdin: 'terminal' }])
        : skipScenario('there is no /usr/bin/script here to give it a terminal'),
  },
  'network-dead': createNetworkScenario('dead', 'while every connection is refused'),
  'network-hanging': createNetworkScenario('hanging', 'while the network never answers'),
  refresh: {
    stage: 'alone',
    after: ['background'],
    observe: async ({ runner, limits, signal, client }) => {
      await waitBeforeRefresh(runner, signal)
      const request = createContextRequest('mid-session-refresh', client)
      return observeOnce(runner.run({ ...request, limitMs: limits.refreshMs }))
    },
  },
  parallel: {
    stage: 'parallel',
    after: ['background', 'interactive', 'refresh'],
    observe: runInParallel,
  },
  'after-parallel': {
    stage: 'condition',
    after: ['background', 'interactive', 'refresh'],
    observe: ({ runner, limits }) => {
      const request = createBackgroundRequest('right after ten runs at once')
      return observeOnce(runner.run({ ...request, limitMs: limits.timeoutMs }))
    },
  },
  'after-kill': {
    stage: 'kill',
    after: ['background', 'refresh', 'parallel', 'after-parallel'],
    observe: runAfterKills,
  },
  'other-servers': { ...condition, observe: runForOtherServers },
  'other-operations': { ...condition, observe: runOtherOperations },
  'after-erase': { ...condition, stage: 'kill', observe: runAfterErase },
  // This scenario is last, because a helper may drop a sign-in after a refusal.
  refusal: { stage: 'kill', after: ['background', 'refresh'], observe: runRefusal },
}

/** All scenario names, in the order of the table. */
export const scenarioNames = Object.keys(scenarios) as ScenarioName[] // the keys of a constant

/** Creates the scenario of a run in `mid-session-refresh`, in which a helper must not serve its cache and so needs the network. */
function createNetworkScenario(how: BrokenNetwork, title: string): CheckScenario {
  return {
    stage: 'alone',
    after: ['background'],
    observe: async ({ runner, limits, signal, earlier }) => {
      await waitBeforeRefresh(runner, signal)
      await waitAfterToken(earlier.get('network-dead'), signal)
      await using proxy = await startBrokenProxy(how)
      return await observeOnce(runner.run({ title, context: 'mid-session-refresh', limitMs: limits.refreshMs, proxy }))
    },
  }
}

/**
 * The fractions of its usual duration after which a run is killed. Parallel runs may wait for each other's lock, and then each runs only
 * after the previous one was killed; so the pauses differ.
 */
const killedAt = { 'one-at-a-time': [0.3, 0.6, 0.9], 'at-once': [0.15, 0.4, 0.75] } as const

/** Kills runs in `mid-session-refresh`, in which a helper obtains and stores a token, then runs it in both contexts. */
async function runAfterKills(setup: ScenarioSetup): Promise<ScenarioObservation> {
  return { runs: isHealthyInParallel(setup) ? await runKilledAtOnce(setup) : await runKilledOneByOne(setup) }
}

async function runKilledAtOnce(setup: ScenarioSetup): Promise<readonly Run[]> {
  const moments = computeKillMoments(setup, killedAt['at-once'])
  const killed = await Promise.all(moments.map((limitMs) => runAndKill(setup, limitMs)))
  const checks = createChecks(`after kills at ${moments.map(renderMs).join(', ')}`).map(async (request, index) => {
    await sleep(index * (moments[0] ?? 0), undefined, { signal: setup.signal }) // a refresh may repair the damage that the first run finds
    return runOnce(setup, request)
  })
  return [...killed, ...(await Promise.all(checks))]
}

async function runKilledOneByOne(setup: ScenarioSetup): Promise<readonly Run[]> {
  const runs: Run[] = []
  for (const limitMs of computeKillMoments(setup, killedAt['one-at-a-time'])) {
    runs.push(await runAndKill(setup, limitMs))
    for (const request of createChecks(`after a kill at ${renderMs(limitMs)}`)) runs.push(await runOnce(setup, request))
    if (!runs.filter(({ purpose }) => purpose === 'observed').every(isHealthy)) break
  }
  return runs
}

/** Computes the moments of the kills, in milliseconds after the start of a run. */
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

/** A host name that no server can have (RFC 2606, section 2). */
const otherServer = 'https://another-server.invalid'

/** Requests credentials for another server, as a client without a server in its configuration may. */
function runForOtherServers(setup: ScenarioSetup): Promise<ScenarioObservation> {
  return runAll(setup, [{ ...createBackgroundRequest(`asked for ${otherServer}`), server: otherServer }])
}

/** Requests that the helper stores the credential that the server accepted, and an operation of a future client. */
function runOtherOperations(setup: ScenarioSetup): Promise<ScenarioObservation> {
  const operations = ['store', 'an-operation-of-next-year']
  return runInOrder(
    setup,
    operations.map((operation) => ({ ...createBackgroundRequest(`with the operation ${operation}`), operation })),
  )
}

/** Reports that the last credential was refused, and requests another one. */
function runAfterErase(setup: ScenarioSetup): Promise<ScenarioObservation> {
  return runInOrder(setup, [
    createBackgroundRequest('before an erase'),
    { ...createBackgroundRequest('with the operation erase'), operation: 'erase' },
    createBackgroundRequest('after an erase'),
  ])
}

async function runInOrder(setup: ScenarioSetup, requests: readonly UnlimitedRequest[]): Promise<ScenarioObservation> {
  const { runner, limits } = setup
  const runs = []
  for (const request of requests) runs.push(await runner.run({ ...request, limitMs: limits.timeoutMs }))
  return { runs }
}
