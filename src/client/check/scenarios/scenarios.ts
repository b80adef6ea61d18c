import { setTimeout as sleep } from 'node:timers/promises'
import { type BrokenNetwork, startBrokenProxy } from '../runs/broken-proxy.ts'
import { hasTerminalProgram } from '../runs/pseudo-terminal.ts'
import type { Limits, Scenario, ScenarioName } from './scenario.ts'
import {
  createBackgroundRequest,
  createContextRequest,
  killCount,
  runAfterKills,
  runInParallel,
  runSequentially,
  toObservation,
  toUnavailable,
} from './scenario-runs.ts'

/** Tokens of the same second may be equal, because their times are in whole seconds. */
const secondMs = 1100

/** The PATH that a desktop gives to the programs that it starts. Seen in clients. */
const barePath = '/usr/bin:/bin:/usr/sbin:/sbin'

/** What scenarios of one run share that are made once the first run has given a token. */
const afterFirstRun = { after: ['background'], longestMs: ({ timeoutMs }: Limits) => timeoutMs } as const

/**
 * Every scenario, in the order in which they are made: harmless ones first, and the refresh after the normal runs, so that
 * its token can be compared with theirs.
 */
export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  background: {
    title: 'as a client starts it',
    after: [],
    longestMs: ({ timeoutMs }) => timeoutMs,
    observe: ({ runner, limits }) =>
      toObservation(runner.run({ ...createContextRequest('background'), limitMs: limits.timeoutMs })),
  },
  'silent-contexts': {
    title: 'in every silent context',
    after: ['background'],
    longestMs: ({ timeoutMs }) => 4 * timeoutMs,
    observe: (setup) =>
      runSequentially(setup, [
        createContextRequest('setup-test'),
        createContextRequest('scheduled-task'),
        { title: 'in a context that does not exist yet', context: 'a-context-of-next-year' },
        { title: 'without a context', context: undefined },
      ]),
  },
  interactive: {
    title: 'with a person present',
    ...afterFirstRun,
    observe: (setup) => runSequentially(setup, [createContextRequest('interactive')]),
  },
  'closed-stdin': {
    title: 'with stdin closed',
    ...afterFirstRun,
    observe: (setup) =>
      setup.platform === 'win32'
        ? toUnavailable('a closed stdin is tried on Linux and macOS only')
        : runSequentially(setup, [{ ...createBackgroundRequest('with stdin closed'), stdin: 'closed' }]),
  },
  'open-stdin': {
    title: 'with an open stdin',
    ...afterFirstRun,
    observe: (setup) => {
      const request = createBackgroundRequest('with an open stdin that nobody writes to')
      return runSequentially(setup, [{ ...request, stdin: 'silent' }])
    },
  },
  'bare-path': {
    title: 'with the bare PATH',
    ...afterFirstRun,
    observe: (setup) =>
      setup.platform === 'win32'
        ? toUnavailable('a bare PATH is tried on Linux and macOS only')
        : runSequentially(setup, [{ ...createBackgroundRequest(`with PATH=${barePath}`), env: { PATH: barePath } }]),
  },
  'without-arguments': {
    title: 'without arguments',
    ...afterFirstRun,
    observe: (setup) =>
      setup.hasArguments
        ? runSequentially(setup, [{ ...createBackgroundRequest('without arguments'), args: [] }])
        : Promise.resolve(setup.earlier.get('background') ?? { runs: [] }),
  },
  terminal: {
    title: 'with a terminal',
    ...afterFirstRun,
    observe: async (setup) =>
      (await hasTerminalProgram(setup.platform))
        ? runSequentially(setup, [{ ...createBackgroundRequest('with a terminal'), stdin: 'terminal' }])
        : toUnavailable('there is no /usr/bin/script here to give it a terminal'),
  },
  'network-dead': createNetworkScenario('dead', 'while every connection is refused'),
  'network-hanging': createNetworkScenario('hanging', 'while the network accepts connections and never answers'),
  refresh: {
    title: 'in mid-session-refresh',
    after: ['background'],
    longestMs: ({ refreshMs }) => refreshMs + secondMs,
    observe: async ({ runner, limits, signal }) => {
      await sleep(secondMs, undefined, { signal })
      return toObservation(runner.run({ ...createContextRequest('mid-session-refresh'), limitMs: limits.refreshMs }))
    },
  },
  parallel: {
    title: 'ten at once',
    after: ['background', 'interactive', 'refresh'],
    longestMs: ({ timeoutMs }) => 2 * timeoutMs,
    observe: runInParallel,
  },
  'after-kill': {
    title: 'after a kill in the middle',
    after: ['background', 'refresh', 'parallel'],
    longestMs: ({ timeoutMs, refreshMs }) => killCount * (timeoutMs + 2 * refreshMs),
    observe: runAfterKills,
  },
}

/** In the order of the table. */
export const scenarioNames = Object.keys(scenarios) as ScenarioName[] // the keys of a constant

/** A run in `mid-session-refresh`, where a helper must not serve its cache and therefore needs the network. */
function createNetworkScenario(how: BrokenNetwork, title: string): Scenario {
  return {
    title,
    after: ['background'],
    longestMs: ({ refreshMs }) => refreshMs,
    observe: async ({ runner, limits }) => {
      await using proxy = await startBrokenProxy(how)
      return await toObservation(
        runner.run({ title, context: 'mid-session-refresh', limitMs: limits.refreshMs, proxy }),
      )
    },
  }
}
