import { setTimeout as sleep } from 'node:timers/promises'
import { type BrokenNetwork, startBrokenProxy } from '../runs/broken-proxy.ts'
import { hasTerminalProgram } from '../runs/pseudo-terminal.ts'
import { isHealthy } from '../runs/run.ts'
import type { Observation, Scenario, ScenarioName, Setting } from './scenario.ts'
import {
  absent,
  inContext,
  inTurn,
  killCount,
  type Plain,
  quietly,
  runAfterKills,
  runInParallel,
  single,
} from './scenario-runs.ts'

/** Two tokens of one second may be alike. */
const secondMs = 1100

/** What a desktop gives to what it starts. Seen in clients. */
const barePath = '/usr/bin:/bin:/usr/sbin:/sbin'

/**
 * Every way in which a helper is run, in the order in which that happens: gentle before harmful, and the refresh behind
 * the normal runs, so that its token can be held against theirs.
 */
export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  background: {
    title: 'as a client starts it',
    after: [],
    longestMs: ({ timeoutMs }) => timeoutMs,
    observe: ({ bench, limits }) => single(bench.run({ ...inContext('background'), limitMs: limits.timeoutMs })),
  },
  'silent-contexts': {
    title: 'in every silent context',
    after: ['background'],
    longestMs: ({ timeoutMs }) => 4 * timeoutMs,
    observe: (setting) =>
      inTurn(setting, [
        inContext('setup-test'),
        inContext('scheduled-task'),
        { title: 'in a context that does not exist yet', context: 'a-context-of-next-year' },
        { title: 'without a context', context: undefined },
      ]),
  },
  interactive: plain('with a person present', inContext('interactive')),
  'closed-stdin': {
    ...plain('with stdin closed', { ...quietly('with stdin closed'), stdin: 'closed' }),
    observe: (setting) =>
      setting.platform === 'win32'
        ? absent('a closed stdin is looked at on macOS and Linux')
        : inTurn(setting, [{ ...quietly('with stdin closed'), stdin: 'closed' }]),
  },
  'open-stdin': plain('with an open stdin', {
    ...quietly('with an open stdin that nobody writes to'),
    stdin: 'silent',
  }),
  'bare-path': {
    ...plain('with the bare PATH', quietly('')),
    observe: (setting) =>
      setting.platform === 'win32'
        ? absent('the bare PATH is that of macOS and Linux')
        : inTurn(setting, [{ ...quietly(`with PATH=${barePath}`), env: { PATH: barePath } }]),
  },
  'without-arguments': {
    ...plain('without arguments', quietly('')),
    observe: (setting) =>
      setting.hasArguments
        ? inTurn(setting, [{ ...quietly('without arguments'), args: [] }])
        : Promise.resolve(setting.earlier.get('background') ?? none),
  },
  terminal: {
    ...plain('with a terminal at hand', quietly('')),
    observe: async (setting) =>
      (await hasTerminalProgram(setting.platform))
        ? inTurn(setting, [{ ...quietly('with a terminal at hand'), stdin: 'terminal' }])
        : absent('there is no /usr/bin/script here that lends it a terminal'),
  },
  'network-dead': network('dead', 'while every connection is refused'),
  'network-hanging': network('hanging', 'while the network accepts and says nothing'),
  refresh: {
    title: 'in mid-session-refresh',
    after: ['background'],
    longestMs: ({ refreshMs }) => refreshMs + secondMs,
    observe: async ({ bench, limits, signal }) => {
      await sleep(secondMs, undefined, { signal })
      return single(bench.run({ ...inContext('mid-session-refresh'), limitMs: limits.refreshMs }))
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

/** Runs of one scenario, unless an earlier one already shows that there is nothing more to see. */
export async function observeScenario(name: ScenarioName, setting: Setting): Promise<Observation> {
  const isHopeless = scenarios[name].after.some((other) => {
    const seen = setting.earlier.get(other)
    return seen !== undefined && 'runs' in seen && !seen.runs.every(isHealthy)
  })
  return isHopeless ? none : scenarios[name].observe(setting)
}

const none: Observation = { runs: [] }

function plain(title: string, ...requests: readonly Plain[]): Scenario {
  return {
    title,
    after: ['background'],
    longestMs: ({ timeoutMs }) => timeoutMs,
    observe: (setting) => inTurn(setting, requests),
  }
}

/** In `mid-session-refresh`, where a helper must not serve what it has and therefore needs the network. */
function network(how: BrokenNetwork, title: string): Scenario {
  return {
    title,
    after: ['background'],
    longestMs: ({ refreshMs }) => refreshMs,
    observe: async ({ bench, limits }) => {
      await using proxy = await startBrokenProxy(how)
      return await single(bench.run({ title, context: 'mid-session-refresh', limitMs: limits.refreshMs, proxy }))
    },
  }
}
