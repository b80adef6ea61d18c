import { performance } from 'node:perf_hooks'
import type { ClientName } from '../../contract/clients/client.ts'
import { vendor } from '../../vendor.ts'
import { resolveClientLaunch } from '../launch/client-launch.ts'
import { type CheckOptions, resolveCheckLimitSec, toClient, toFacts, toLimits } from './check-options.ts'
import { readFileKind } from './file-kind.ts'
import { startProgressReporter } from './progress.ts'
import { isWindowsPath } from './rules/launch.ts'
import { expandRules, type RuleId, ruleIds, toRule } from './rules/rules.ts'
import { type RuleVerdict, validateRules } from './rules/validate-rules.ts'
import { type CheckRunner, startCheckRunner } from './runs/check-runner.ts'
import { decoyVariables, markVariable } from './runs/decoy-browsers.ts'
import { type Observations, observeScenarios } from './scenarios/observe-scenarios.ts'
import type { ScenarioName } from './scenarios/scenario.ts'
import { scenarioNames, scenarios } from './scenarios/scenarios.ts'

/** What a check found; it holds no secret. */
export interface CheckReport {
  /** Whose rules were checked. */
  readonly client: ClientName
  readonly command: string
  readonly args: readonly string[]
  /** `failed` if at least one rule failed; warnings do not count. `unfinished` if none did before the time was over. */
  readonly result: 'passed' | 'failed' | 'unfinished'
  readonly verdicts: readonly RuleVerdict[]
  /** Variables that the check sets in the environment of runs. Runs of `network-…` have proxy variables as well. */
  readonly sets: readonly string[]
  /** How many runs were made. */
  readonly runs: number
  readonly durationMs: number
  /** How long the check could have taken. */
  readonly limitSec: number
}

/** What ends a check before it is done: its own limit, or an interrupt; `signal` is aborted by both. */
interface CheckEnd {
  readonly limit: AbortSignal
  readonly signal: AbortSignal
}

/**
 * Runs an executable through the contract of credential helpers and returns a verdict for every rule. The report holds no
 * secret.
 * @throws the signal's reason when it is interrupted.
 */
export async function checkHelper(options: CheckOptions): Promise<CheckReport> {
  const startedAt = performance.now()
  const { command, args = [], rules = ruleIds } = options
  const client = toClient(options)
  const limitSec = resolveCheckLimitSec(options)
  const limit = AbortSignal.timeout(limitSec * 1000)
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit
  const chosen = expandRules(rules, client)
  const file = await readFileKind(command)
  await using runner = await startCheckRunner({
    now: Date.now,
    server: '',
    ...options,
    ...toServer(options),
    client,
    args,
    signal,
  })
  const { observed, isFinished } = await observe(options, listScenarios(chosen, options), runner, { limit, signal })
  const fileSearch = chosen.includes('secret-in-files') ? await runner.searchFiles() : noSearch
  const facts = { ...toFacts(options), file, allRuns: runner.runs, fileSearch }
  const verdicts = validateRules(chosen, observed, facts).filter(({ rule }) => rules.includes(rule))
  const isFailed = verdicts.some(({ verdict }) => verdict === 'fail')
  return {
    client: options.client ?? 'desktop',
    command,
    args,
    result: isFailed ? 'failed' : isFinished ? 'passed' : 'unfinished',
    verdicts,
    sets: [...decoyVariables, markVariable, ...listSetVariables(options)],
    runs: runner.runs.length,
    durationMs: Math.round(performance.now() - startedAt),
    limitSec,
  }
}

const noSearch = { files: [], isComplete: false } as const

async function observe(
  { command, args = [], pace = 'at-once', onProgress = () => {}, ...options }: CheckOptions,
  names: readonly ScenarioName[],
  runner: CheckRunner,
  { limit, signal }: CheckEnd,
): Promise<{ readonly observed: Observations; readonly isFinished: boolean }> {
  const { platform } = options
  const client = toClient(options)
  const problem = findLaunchProblem({ command, args, ...options })
  if (problem !== undefined) {
    const unavailable = new Map(names.map((name) => [name, { unavailable: problem }]))
    return { observed: unavailable, isFinished: true }
  }
  using progress = startProgressReporter(names.length, runner, onProgress)
  const setup = { runner, client, limits: toLimits(options), pace, platform, signal, hasArguments: args.length > 0 }
  const late = `not tried: the check had used up its ${resolveCheckLimitSec(options)} s (--limit sets more)`
  const observed = await observeScenarios(names, setup, { limit, late }, progress.endStep)
  return { observed, isFinished: !limit.aborted }
}

function listScenarios(chosen: readonly RuleId[], options: CheckOptions): ScenarioName[] {
  const wanted = new Set(chosen.flatMap((id) => toRule(id).scenarios))
  return scenarioNames.filter((name) => wanted.has(name) && (scenarios[name].isFor?.(toClient(options)) ?? true))
}

/** The server that a client with requests asks for. */
function toServer({ baseUrl }: CheckOptions): { readonly server?: string } {
  return baseUrl === undefined ? {} : { server: baseUrl }
}

function listSetVariables(options: CheckOptions): readonly string[] {
  const { context, variables } = toClient(options)
  return context === 'told' ? [vendor.contextVariable, vendor.manualRunVariable] : variables
}

/** Why no run can be made: the command is another system's, or no client starts it. The rule command-line reports it. */
function findLaunchProblem(options: CheckOptions): string | undefined {
  const { command, args = [], platform } = options
  if (isWindowsPath(command) && platform !== 'win32') return 'a Windows path is run on Windows only'
  const launch = resolveClientLaunch(toClient(options), { command, args }, platform)
  return 'problem' in launch ? launch.problem : undefined
}
