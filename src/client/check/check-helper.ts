import { performance } from 'node:perf_hooks'
import type { ClientContext } from '../../contract/context.ts'
import { clientDefaults } from '../../contract/limits.ts'
import type { Environment } from '../../runtime/environment.ts'
import { vendor } from '../../vendor.ts'
import { resolveLaunch } from '../launch/launch-command.ts'
import { resolveHelperTimeoutSec } from '../launch/run-credential-helper.ts'
import { readFileKind } from './file-kind.ts'
import { isWindowsPath } from './rules/launch.ts'
import type { CheckFacts } from './rules/rule.ts'
import { expandRules, type RuleId, ruleIds, toRule } from './rules/rules.ts'
import { type RuleVerdict, validateRules } from './rules/validate-rules.ts'
import { type CheckRunner, startCheckRunner } from './runs/check-runner.ts'
import { decoyVariables, markVariable } from './runs/decoy-browsers.ts'
import { observeScenarios } from './scenarios/observe-scenarios.ts'
import type { Limits, Observation, ScenarioName } from './scenarios/scenario.ts'
import { scenarioNames, scenarios } from './scenarios/scenarios.ts'

/** Which helper to check, and how. */
export interface CheckOptions {
  /** The absolute path of an executable, in any language, and its arguments. */
  readonly command: string
  readonly args?: readonly string[]
  /** The client's own environment, which every run inherits. */
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** Values of the client's document; the client's defaults where absent. */
  readonly ttlSec?: number
  readonly timeoutSec?: number
  /** How long a token lives that does not say so itself. */
  readonly tokenLifeSec?: number
  /** Only these rules, and those that they need; all of them by default. */
  readonly rules?: readonly RuleId[]
  /** The time with which the end of a token is compared, in epoch milliseconds; processes run in real time. */
  readonly now?: () => number
  /** Interrupts the check, which ends every process that it started. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: CheckProgress) => void
}

/** The step that begins now. */
export interface CheckProgress {
  readonly step: number
  readonly steps: number
  readonly title: string
}

/** What a check found; it holds no secret. */
export interface CheckReport {
  readonly command: string
  readonly args: readonly string[]
  /** `failed` if at least one rule failed; warnings do not count. */
  readonly result: 'passed' | 'failed'
  readonly verdicts: readonly RuleVerdict[]
  /** Variables that the check sets in the environment of runs. Runs of `network-…` have proxy variables as well. */
  readonly sets: readonly string[]
  /** How many runs were made. */
  readonly runs: number
  readonly durationMs: number
}

/**
 * Runs an executable through the contract of credential helpers and returns a verdict for every rule. The report holds no
 * secret.
 * @throws the signal's reason when it is interrupted.
 */
export async function checkHelper(options: CheckOptions): Promise<CheckReport> {
  const startedAt = performance.now()
  const { command, args = [], rules = ruleIds } = options
  const chosen = expandRules(rules)
  const file = await readFileKind(command)
  const signal = options.signal ?? new AbortController().signal
  await using runner = await startCheckRunner({ now: Date.now, ...options, args, signal })
  const observed = await observe(options, chosen, runner, signal)
  const facts: CheckFacts = {
    ...toFacts(options),
    file,
    allRuns: runner.runs,
    exposedFiles: await runner.findExposedFiles(),
  }
  const verdicts = validateRules(chosen, observed, facts).filter(({ rule }) => rules.includes(rule))
  return {
    command,
    args,
    result: verdicts.some(({ verdict }) => verdict === 'fail') ? 'failed' : 'passed',
    verdicts,
    sets: [...decoyVariables, markVariable, vendor.contextVariable, vendor.manualRunVariable],
    runs: runner.runs.length,
    durationMs: Math.round(performance.now() - startedAt),
  }
}

/** The longest that a check can take, in milliseconds: as long as if every run hangs. */
export function computeLongestCheckMs(options: Pick<CheckOptions, 'timeoutSec' | 'rules'>): number {
  const names = listScenarios(expandRules(options.rules ?? ruleIds))
  return names.reduce((sum, name) => sum + scenarios[name].longestMs(toLimits(options)), 0)
}

async function observe(
  { command, args = [], platform, onProgress, ...options }: CheckOptions,
  chosen: readonly RuleId[],
  runner: CheckRunner,
  signal: AbortSignal,
): Promise<ReadonlyMap<ScenarioName, Observation>> {
  const names = listScenarios(chosen)
  const setup = { runner, limits: toLimits(options), platform, signal, hasArguments: args.length > 0 }
  return observeScenarios(names, setup, findLaunchProblem(command, args, platform), (name) =>
    onProgress?.({ step: names.indexOf(name) + 1, steps: names.length, title: scenarios[name].title }),
  )
}

function listScenarios(chosen: readonly RuleId[]): ScenarioName[] {
  const wanted = new Set(chosen.flatMap((id) => toRule(id).scenarios))
  return scenarioNames.filter((name) => wanted.has(name))
}

/** Why no run can be made: the command is another system's, or no client starts it. The rule command-line reports it. */
function findLaunchProblem(command: string, args: readonly string[], platform: NodeJS.Platform): string | undefined {
  if (isWindowsPath(command) && platform !== 'win32') return 'a Windows path is run on Windows only'
  const launch = resolveLaunch({ command, args }, platform)
  return 'problem' in launch ? launch.problem : undefined
}

function toLimits(options: Pick<CheckOptions, 'timeoutSec'>): Limits {
  const limitMs = (context: ClientContext) => resolveHelperTimeoutSec(options, context) * 1000
  return { timeoutMs: limitMs('background'), refreshMs: limitMs('mid-session-refresh') }
}

function toFacts(options: CheckOptions): Omit<CheckFacts, 'file' | 'allRuns' | 'exposedFiles'> {
  const { command, args = [], platform, ttlSec = clientDefaults.ttlSec, tokenLifeSec, env } = options
  const end = Date.parse(env.AWS_CREDENTIAL_EXPIRATION ?? '')
  return {
    command,
    args,
    platform,
    ttlSec,
    refreshSec: toLimits(options).refreshMs / 1000,
    ...(tokenLifeSec !== undefined && { tokenLifeSec }),
    ...(!Number.isNaN(end) && { credentialsEnd: end }),
  }
}
