// Folder: the check of any helper against the contract, scenario by scenario.

import { open, stat } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { isContextTold } from '../../contract/client.ts'
import type { ClientName } from '../../contract/clients.ts'
import { refreshCauseVariable } from '../../contract/refresh.ts'
import { vendor } from '../../vendor.ts'
import { planClientLaunch } from '../launch/run-for-client.ts'
import {
  type CheckOptions,
  computeCheckLimitSec,
  startProgressReporter,
  toClient,
  toFacts,
  toLimits,
  usualClient,
} from './check-options.ts'
import type { CheckScenario, ScenarioName, ScenarioObservation, ScenarioSetup } from './check-scenario.ts'
import { listShellVariables } from './desktop-environment.ts'
import { isWindowsPath } from './rules/launch-rules.ts'
import type { FileKind } from './rules/rule.ts'
import {
  expandRules,
  type RuleId,
  type RuleVerdict,
  ruleIds,
  type ScenarioObservations,
  toRule,
  validateRules,
} from './rules/rules.ts'
import { type CheckRunner, startCheckRunner } from './runs/check-runner.ts'
import { decoyVariables, markVariable } from './runs/decoy-browsers.ts'
import { isHealthy } from './runs/run.ts'
import { isEveryRunHealthy, isHealthyInParallel } from './scenario-runs.ts'
import { scenarioNames, scenarios } from './scenarios.ts'

/** The findings of a check; they contain no secret. */
export interface CheckReport {
  /** The client whose rules were checked. */
  readonly client: ClientName
  readonly command: string
  readonly args: readonly string[]
  /** `failed` if at least one rule failed; warnings do not matter. `unfinished` if the time ended before any rule had failed. */
  readonly result: 'passed' | 'failed' | 'unfinished'
  /** `false` if the time ended before every scenario was tried, even if a rule had failed. */
  readonly isFinished: boolean
  readonly verdicts: readonly RuleVerdict[]
  /** The variables that the check sets for runs. Runs of `network-…` also have proxy variables. */
  readonly sets: readonly string[]
  readonly runs: number
  readonly durationMs: number
  /** The limit of the check. */
  readonly limitSec: number
}

/**
 * Runs an executable under the contract of credential helpers, and returns a verdict for every rule. The report contains no secret.
 * @throws the signal's reason if it is interrupted.
 */
export async function checkHelper(options: CheckOptions): Promise<CheckReport> {
  const startedAt = performance.now()
  const { command, args = [], rules = ruleIds } = options
  const client = toClient(options)
  const limitSec = computeCheckLimitSec(options)
  const limit = AbortSignal.timeout(limitSec * 1000)
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit
  const chosen = expandRules(rules, client)
  const file = await readFileKind(command)
  await using runner = await startCheckRunner({
    now: Date.now,
    ...options,
    server: options.baseUrl ?? '',
    client,
    args,
    signal,
  })
  const { observed, isFinished } = await observe(options, listScenarios(chosen, options), runner, { limit, signal })
  const fileSearch = chosen.includes('secret-in-files') && isFinished ? await runner.examineFiles() : noSearch
  const facts = { ...toFacts(options), file, allRuns: runner.runs, fileSearch }
  const verdicts = validateRules(chosen, observed, facts).filter(({ rule }) => rules.includes(rule))
  const isFailed = verdicts.some(({ verdict }) => verdict === 'fail')
  return {
    client: options.client ?? usualClient,
    command,
    args,
    result: isFailed ? 'failed' : isFinished ? 'passed' : 'unfinished',
    isFinished,
    verdicts,
    sets: [...decoyVariables, markVariable, ...listSetVariables(options)],
    runs: runner.runs.length,
    durationMs: Math.round(performance.now() - startedAt),
    limitSec,
  }
}

/** The early end of a check, by its own limit or an interrupt; both abort `signal`. */
interface CheckEnd {
  readonly limit: AbortSignal
  readonly signal: AbortSignal
}

const noSearch = { files: [], isComplete: false } as const

async function observe(
  { command, args = [], pace = 'at-once', onProgress = () => {}, ...options }: CheckOptions,
  names: readonly ScenarioName[],
  runner: CheckRunner,
  { limit, signal }: CheckEnd,
): Promise<{ readonly observed: ScenarioObservations; readonly isFinished: boolean }> {
  const { platform } = options
  const client = toClient(options)
  const problem = validateLaunch({ command, args, ...options })
  if (problem !== undefined) {
    const unavailable = new Map(names.map((name) => [name, { unavailable: problem }]))
    return { observed: unavailable, isFinished: true }
  }
  using progress = startProgressReporter(names.length, runner, onProgress)
  const setup = {
    runner,
    client,
    pace,
    platform,
    signal,
    limits: toLimits(options),
    hasArguments: args.length > 0,
    shellVariables: listShellVariables(options.env, options.keepEnv),
  }
  const late = `not tried: the check had used up its ${computeCheckLimitSec(options)} s (--limit sets more)`
  const observed = await observeScenarios(names, setup, { limit, late }, progress.endStep)
  return { observed, isFinished: !limit.aborted }
}

function listScenarios(chosen: readonly RuleId[], options: CheckOptions): ScenarioName[] {
  const wanted = new Set(chosen.flatMap((id) => toRule(id).scenarios))
  return scenarioNames.filter((name) => wanted.has(name) && (scenarios[name].isFor?.(toClient(options)) ?? true))
}

function listSetVariables(options: CheckOptions): readonly string[] {
  const client = toClient(options)
  return isContextTold(client)
    ? [vendor.contextVariable, vendor.manualRunVariable, refreshCauseVariable]
    : Object.keys(client.variables ?? {})
}

/** Finds why no run is possible: the command is for another system, or no client starts it. The rule command-line reports it. */
function validateLaunch(options: CheckOptions): string | undefined {
  const { command, args = [], platform } = options
  if (isWindowsPath(command) && platform !== 'win32') return 'a Windows path is run on Windows only'
  const launch = planClientLaunch(toClient(options), { command, args }, platform)
  return 'problem' in launch ? launch.problem : undefined
}

/** Reads the kind of a file from its first bytes. */
export async function readFileKind(path: string): Promise<FileKind> {
  try {
    const status = await stat(path)
    if (status.isDirectory()) return 'directory'
    if (!status.isFile()) return 'unreadable' // opening a FIFO would wait for a writer
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(512), position: 0 })
    return detectKind(buffer.subarray(0, bytesRead))
  } catch {
    return 'unreadable' // missing or only executable, which starting it shows
  }
}

function detectKind(head: Buffer): FileKind {
  if (head.subarray(0, 2).toString('latin1') === '#!') return 'script'
  return head.includes(0) ? 'binary' : 'text-without-shebang'
}

type Observe = (name: ScenarioName) => Promise<void>

/** The limit of the whole check, and the message for scenarios that were not tried by then. */
interface CheckLimit {
  readonly limit: AbortSignal
  readonly late: string
}

/**
 * Makes the runs of these scenarios. At the pace `one-at-a-time`, they run in the order of their table. Otherwise the scenarios that must
 * be alone run first, then the parallel ones, and if those are healthy, all others at once. `onDone` is called after each.
 */
async function observeScenarios(
  names: readonly ScenarioName[],
  setup: Omit<ScenarioSetup, 'earlier'>,
  { limit, late }: CheckLimit,
  onDone: (name: ScenarioName) => void,
): Promise<ScenarioObservations> {
  const earlier = new Map<ScenarioName, ScenarioObservation>()
  const observe = async (name: ScenarioName) => {
    const observed = observeScenario(name, { ...setup, earlier })
    earlier.set(name, await observed.catch((thrown) => toLate(thrown, setup.signal, limit, late)))
    onDone(name)
  }
  if (setup.pace === 'one-at-a-time') await observeInOrder(names, observe)
  else await observeAtOnce(names, { ...setup, earlier }, observe, (name) => earlier.set(name, lostState))
  return new Map(names.map((name) => [name, isPointless(name, earlier) ? noRuns : (earlier.get(name) ?? noRuns)]))
}

async function observeInOrder(names: readonly ScenarioName[], observe: Observe): Promise<void> {
  for (const name of names) await observe(name)
}

/** Makes no run if a scenario that this one depends on gave no token. */
async function observeScenario(name: ScenarioName, setup: ScenarioSetup): Promise<ScenarioObservation> {
  return isPointless(name, setup.earlier) ? noRuns : scenarios[name].observe(setup)
}

/**
 * Returns the observation of a scenario that the limit of the check ended.
 * @throws any other error that ended the runs.
 */
function toLate(thrown: unknown, signal: AbortSignal, limit: AbortSignal, late: string): ScenarioObservation {
  if (!limit.aborted || signal.reason !== limit.reason) throw thrown
  return { unavailable: late }
}

const noRuns: ScenarioObservation = { runs: [] }

/** Parallel runs failed, and so did the run after them, so later failures may be their fault. */
const lostState: ScenarioObservation = {
  unavailable: 'not tried: since ten runs at once no run gives a token (--one-at-a-time tries it before)',
}

async function observeAtOnce(
  names: readonly ScenarioName[],
  setup: ScenarioSetup,
  observe: Observe,
  noteLost: (name: ScenarioName) => void,
): Promise<void> {
  const listStage = (stage: CheckScenario['stage']) => names.filter((name) => scenarios[name].stage === stage)
  const conditions = listStage('condition')
  await observeInOrder([...listStage('alone'), ...listStage('parallel')], observe)
  if (isHealthyInParallel(setup)) await Promise.all(conditions.map(observe))
  else {
    const others = conditions.filter((name) => name !== 'after-parallel')
    if (conditions.length > others.length) await observe('after-parallel')
    if (isStateLost(setup.earlier)) for (const name of others) noteLost(name)
    else await observeInOrder(others, observe)
  }
  await observeInOrder(listStage('kill'), observe)
}

function isStateLost(earlier: ScenarioObservations): boolean {
  const after = earlier.get('after-parallel')
  return after !== undefined && 'runs' in after && after.runs.length > 0 && !isEveryRunHealthy(after)
}

function isPointless(name: ScenarioName, earlier: ScenarioObservations): boolean {
  return scenarios[name].after.some((other) => {
    const observed = earlier.get(other)
    return observed !== undefined && 'runs' in observed && !observed.runs.every(isHealthy)
  })
}
