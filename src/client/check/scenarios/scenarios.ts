import type { HelperClient } from '../../../contract/clients/client.ts'
import { isTold } from '../../../contract/clients/client-traits.ts'
import { type BrokenNetwork, startBrokenProxy } from '../runs/broken-proxy.ts'
import { hasTerminalProgram } from '../runs/pseudo-terminal.ts'
import { runAfterKills } from './kill-runs.ts'
import { runAfterErase, runForOtherServers, runOtherOperations } from './request-runs.ts'
import type { Scenario, ScenarioName } from './scenario.ts'
import {
  createBackgroundRequest,
  createContextRequest,
  runAll,
  runInParallel,
  toObservation,
  toUnavailable,
  waitBeforeRefresh,
} from './scenario-runs.ts'

/** The PATH that a desktop gives to the programs that it starts. Seen in clients. */
const barePath = '/usr/bin:/bin:/usr/sbin:/sbin'

/** What scenarios share that change one condition of the first run. */
const condition = { stage: 'condition', after: ['background'] } as const

/**
 * Every scenario, in the order of the pace `one-at-a-time`: harmless ones first, those without a network before a refresh
 * leaves a token that was obtained a moment ago, and the refresh after normal runs, so that its token can be compared
 * with theirs.
 */
export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  background: {
    stage: 'alone',
    after: [],
    observe: ({ runner, limits, client }) =>
      toObservation(runner.run({ ...createContextRequest('background', client), limitMs: limits.timeoutMs })),
  },
  'silent-contexts': {
    ...condition,
    isFor: isTold,
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
    isFor: isTold,
    observe: (setup) => runAll(setup, [createContextRequest('interactive', setup.client)]),
  },
  'closed-stdin': {
    ...condition,
    isFor: hasNoRequest,
    observe: (setup) =>
      setup.platform === 'win32'
        ? toUnavailable('a closed stdin is tried on Linux and macOS only')
        : runAll(setup, [{ ...createBackgroundRequest('with stdin closed'), stdin: 'closed' }]),
  },
  'open-stdin': {
    ...condition,
    isFor: (client) => isTold(client) || client.stdin === 'inherited',
    observe: (setup) => {
      const request = createBackgroundRequest('with an open stdin that nobody writes to')
      return runAll(setup, [{ ...request, stdin: 'silent' }])
    },
  },
  'bare-path': {
    ...condition,
    observe: (setup) =>
      setup.platform === 'win32'
        ? toUnavailable('a bare PATH is tried on Linux and macOS only')
        : runAll(setup, [{ ...createBackgroundRequest(`with PATH=${barePath}`), env: { PATH: barePath } }]),
  },
  'without-arguments': {
    ...condition,
    isFor: isTold,
    observe: (setup) =>
      setup.hasArguments
        ? runAll(setup, [{ ...createBackgroundRequest('without arguments'), args: [] }])
        : Promise.resolve(setup.earlier.get('background') ?? { runs: [] }),
  },
  terminal: {
    ...condition,
    isFor: isTold,
    observe: async (setup) =>
      (await hasTerminalProgram(setup.platform))
        ? runAll(setup, [{ ...createBackgroundRequest('with a terminal'), stdin: 'terminal' }])
        : toUnavailable('there is no /usr/bin/script here to give it a terminal'),
  },
  'network-dead': createNetworkScenario('dead', 'while every connection is refused'),
  'network-hanging': createNetworkScenario('hanging', 'while the network never answers'),
  refresh: {
    stage: 'alone',
    after: ['background'],
    observe: async ({ runner, limits, signal, client }) => {
      await waitBeforeRefresh(runner, signal)
      const request = createContextRequest('mid-session-refresh', client)
      return toObservation(runner.run({ ...request, limitMs: limits.refreshMs }))
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
      return toObservation(runner.run({ ...request, limitMs: limits.timeoutMs }))
    },
  },
  'after-kill': {
    stage: 'kill',
    after: ['background', 'refresh', 'parallel', 'after-parallel'],
    observe: runAfterKills,
  },
  'other-servers': { ...condition, isFor: hasRequest, observe: runForOtherServers },
  'other-operations': { ...condition, isFor: hasOperations, observe: runOtherOperations },
  'after-erase': { ...condition, stage: 'kill', isFor: hasOperations, observe: runAfterErase },
}

function hasRequest({ request }: HelperClient): boolean {
  return request !== 'none'
}

function hasNoRequest({ request }: HelperClient): boolean {
  return request === 'none'
}

/** Of Git alone: it tells a helper what to store and what to forget. */
function hasOperations({ request }: HelperClient): boolean {
  return request === 'git'
}

/** In the order of the table. */
export const scenarioNames = Object.keys(scenarios) as ScenarioName[] // the keys of a constant

/** A run in `mid-session-refresh`, where a helper must not serve its cache and therefore needs the network. */
function createNetworkScenario(how: BrokenNetwork, title: string): Scenario {
  return {
    stage: 'alone',
    after: ['background'],
    observe: async ({ runner, limits, signal }) => {
      await waitBeforeRefresh(runner, signal)
      await using proxy = await startBrokenProxy(how)
      return await toObservation(
        runner.run({ title, context: 'mid-session-refresh', limitMs: limits.refreshMs, proxy }),
      )
    },
  }
}
