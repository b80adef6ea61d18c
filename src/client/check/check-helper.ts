import { performance } from 'node:perf_hooks'
import { clientDefaults, midSessionTimeoutSec } from '../../contract/limits.ts'
import type { Environment } from '../../runtime/environment.ts'
import { vendor } from '../../vendor.ts'
import { resolveLaunch } from '../launch/launch-command.ts'
import { readFileKind } from './file-kind.ts'
import type { Matter } from './rules/rule.ts'
import { type RuleId, ruleIds, ruleOf, withNeeds } from './rules/rules.ts'
import { isWindowsPath } from './rules/start.ts'
import { type RuleVerdict, validateRules } from './rules/validate-rules.ts'
import { type CheckRunner, startCheckRunner } from './runs/check-runner.ts'
import { decoyVariables, markVariable } from './runs/decoy-browsers.ts'
import type { Limits, Observation, ScenarioName } from './scenarios/scenario.ts'
import { observeScenario, scenarioNames, scenarios } from './scenarios/scenarios.ts'

export interface CheckOptions {
  /** The absolute path of an executable, in any language, and its arguments. */
  readonly command: string
  readonly args?: readonly string[]
  /** The client's own environment, which every run inherits. */
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** What the client's document says; the client's defaults where it is silent. */
  readonly ttlSec?: number
  readonly timeoutSec?: number
  /** How long a token lives that does not say so itself. */
  readonly tokenLifeSec?: number
  /** Only these rules, and what they need; all of them by default. */
  readonly rules?: readonly RuleId[]
  /** The time by which a token's life is judged, in epoch milliseconds; processes run in real time. */
  readonly now?: () => number
  /** Interrupts the check; every process of it is ended then. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: CheckProgress) => void
}

/** The next thing that is going to be done. */
export interface CheckProgress {
  readonly step: number
  readonly steps: number
  readonly title: string
}

export interface CheckReport {
  readonly command: string
  readonly args: readonly string[]
  /** `failed` with one failed rule or more; warnings do not count. */
  readonly result: 'passed' | 'failed'
  readonly verdicts: readonly RuleVerdict[]
  /** Variables that the check sets in the environment of runs; `network-…` runs have proxy variables as well. */
  readonly sets: readonly string[]
  /** How many real runs were made. */
  readonly runs: number
  readonly durationMs: number
}

/**
 * Runs an executable through the contract of credential helpers and gives a verdict on every rule. Nothing that it
 * returns holds a secret.
 * @throws the signal's reason when it is interrupted.
 */
export async function checkHelper(options: CheckOptions): Promise<CheckReport> {
  const startedAt = performance.now()
  const { command, args = [], rules = ruleIds } = options
  const chosen = withNeeds(rules)
  const file = await readFileKind(command)
  const signal = options.signal ?? new AbortController().signal
  await using bench = await startCheckRunner({ now: Date.now, ...options, args, signal })
  const observed = await observe(options, chosen, bench, signal)
  const matter: Matter = { ...settingsOf(options), file, all: bench.runs, exposedFiles: await bench.findExposedFiles() }
  const verdicts = validateRules(chosen, observed, matter).filter(({ rule }) => rules.includes(rule))
  return {
    command,
    args,
    result: verdicts.some(({ verdict }) => verdict === 'fail') ? 'failed' : 'passed',
    verdicts,
    sets: [...decoyVariables, markVariable, vendor.contextVariable, vendor.manualRunVariable],
    runs: bench.runs.length,
    durationMs: Math.round(performance.now() - startedAt),
  }
}

/** The longest that a check can take, in milliseconds: when every run of it hangs. */
export function computeLongestCheckMs(options: Pick<CheckOptions, 'timeoutSec' | 'rules'>): number {
  const names = scenariosOf(withNeeds(options.rules ?? ruleIds))
  return names.reduce((sum, name) => sum + scenarios[name].longestMs(limitsOf(options)), 0)
}

async function observe(
  { command, args = [], platform, onProgress, ...options }: CheckOptions,
  chosen: readonly RuleId[],
  bench: CheckRunner,
  signal: AbortSignal,
): Promise<ReadonlyMap<ScenarioName, Observation>> {
  const names = scenariosOf(chosen)
  const earlier = new Map<ScenarioName, Observation>()
  const reason = whyNotHere(command, args, platform)
  const setting = { bench, limits: limitsOf(options), platform, signal, hasArguments: args.length > 0, earlier }
  for (const [index, name] of names.entries()) {
    onProgress?.({ step: index + 1, steps: names.length, title: scenarios[name].title })
    earlier.set(name, reason === undefined ? await observeScenario(name, setting) : { absent: reason })
  }
  return earlier
}

function scenariosOf(chosen: readonly RuleId[]): ScenarioName[] {
  const wanted = new Set(chosen.flatMap((id) => ruleOf(id).sees))
  return scenarioNames.filter((name) => wanted.has(name))
}

/** Nothing can be run of another system's command, or of one that no client starts; the first rule says which. */
function whyNotHere(command: string, args: readonly string[], platform: NodeJS.Platform): string | undefined {
  if (isWindowsPath(command) && platform !== 'win32') return 'a Windows path is run on Windows only'
  const launch = resolveLaunch({ command, args }, platform)
  return 'problem' in launch ? launch.problem : undefined
}

function limitsOf({ timeoutSec = clientDefaults.timeoutSec }: Pick<CheckOptions, 'timeoutSec'>): Limits {
  return { timeoutMs: timeoutSec * 1000, refreshMs: Math.min(timeoutSec, midSessionTimeoutSec) * 1000 }
}

function settingsOf(options: CheckOptions): Omit<Matter, 'file' | 'all' | 'exposedFiles'> {
  const { command, args = [], platform, ttlSec = clientDefaults.ttlSec, tokenLifeSec, env } = options
  const end = Date.parse(env.AWS_CREDENTIAL_EXPIRATION ?? '')
  return {
    command,
    args,
    platform,
    ttlSec,
    refreshSec: limitsOf(options).refreshMs / 1000,
    ...(tokenLifeSec !== undefined && { tokenLifeSec }),
    ...(!Number.isNaN(end) && { credentialsEnd: end }),
  }
}
