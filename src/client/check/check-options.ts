import { performance } from 'node:perf_hooks'
import { type HelperClient, isContextTold } from '../../contract/client.ts'
import { type ClientName, clients } from '../../contract/clients.ts'
import { computeHelperTimeoutSec } from '../../contract/freshness.ts'
import { clientDefaults } from '../../contract/limits.ts'
import type { Environment } from '../../runtime/run-process.ts'
import type { Limits, Pace } from './check-scenario.ts'
import { listShellVariables } from './desktop-environment.ts'
import type { CheckFacts } from './rules/rule.ts'
import type { RuleId } from './rules/rules.ts'
import type { ActiveRun, CheckRunner } from './runs/check-runner.ts'

/** The helper to check, and the conditions of the check. */
export interface CheckOptions {
  /** The absolute path of an executable, and its arguments. */
  readonly command: string
  readonly args?: readonly string[]
  /** The client whose rules are checked; the desktop client by default. */
  readonly client?: ClientName
  /** The client's own environment, which every run inherits. */
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** The variables of `env` that an administrator sets for every program, and that a client started from a desktop therefore has too. */
  readonly keepEnv?: readonly string[] | undefined
  /** Values of the client's configuration; its defaults if absent. */
  readonly ttlSec?: number | undefined
  readonly timeoutSec?: number | undefined
  /** The life of a token that does not state it. */
  readonly tokenLifeSec?: number | undefined
  /** The gateway for which the tokens are; the check sends nothing to it. */
  readonly baseUrl?: string | undefined
  /** Check only these rules and the rules that they need; all rules if absent. */
  readonly rules?: readonly RuleId[] | undefined
  /** `one-at-a-time` is for slow machines: only the rules about parallel runs then use parallel runs. */
  readonly pace?: Pace | undefined
  /** The limit of the whole check; {@link computeCheckLimitSec} is the default. */
  readonly limitSec?: number | undefined
  /** The time to compare with the end of a token, in epoch milliseconds; processes run in real time. */
  readonly now?: () => number
  /** Interrupts the check, which then ends every process that it started. */
  readonly signal?: AbortSignal
  /** Called once a second, and after each step. */
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined
}

/**
 * The time of the check in addition to one run that needs the client's whole timeout, in seconds; enough for a helper that takes a few
 * seconds.
 */
export const usualCheckSec = 120

/** Computes the limit of the whole check in seconds: by default, three minutes with the desktop client's default timeout. */
export function computeCheckLimitSec(options: Partial<CheckOptions>): number {
  return options.limitSec ?? usualCheckSec + computeTimeoutSec(options)
}

/** The client whose rules are checked, unless the options name another. */
export const usualClient: ClientName = 'desktop'

/** Selects the client whose rules are checked. */
export function toClient({ client = usualClient }: Partial<CheckOptions>): HelperClient {
  return clients[client]
}

/** Computes how long the client waits; for a client without a timeout, the desktop client's. */
function computeTimeoutSec(options: Partial<CheckOptions>): number {
  return options.timeoutSec ?? toClient(options).waiting.timeoutSec ?? clientDefaults.timeoutSec
}

/** Computes how long the client waits for a run. */
export function toLimits(options: Partial<CheckOptions>): Limits {
  const timeoutSec = computeTimeoutSec(options)
  const refreshSec = isContextTold(toClient(options))
    ? computeHelperTimeoutSec({ timeoutSec }, 'mid-session-refresh')
    : timeoutSec
  return { timeoutMs: timeoutSec * 1000, refreshMs: refreshSec * 1000 }
}

/** Collects the facts for the rules from the options, the client's defaults and the environment. */
export function toFacts(options: CheckOptions): Omit<CheckFacts, 'file' | 'allRuns' | 'fileSearch'> {
  const { command, args = [], platform, tokenLifeSec, baseUrl, env, keepEnv } = options
  const client = toClient(options)
  const end = Date.parse(env.AWS_CREDENTIAL_EXPIRATION ?? '')
  return {
    client,
    command,
    args,
    platform,
    shellVariables: listShellVariables(env, keepEnv),
    ttlSec: options.ttlSec ?? client.refresh.intervalSec ?? clientDefaults.ttlSec,
    refreshSec: toLimits(options).refreshMs / 1000,
    tokenLifeSec,
    gatewayHost: baseUrl === undefined ? undefined : new URL(baseUrl).hostname,
    credentialsEnd: Number.isNaN(end) ? undefined : end,
  }
}

/** The progress of a check, and the runs that it waits for. */
export interface CheckProgress {
  /** The number of finished `steps`. */
  readonly done: number
  readonly steps: number
  /** The runs that have not ended yet, in the order in which they were started. */
  readonly waitingFor: readonly WaitingRun[]
}

/** Reports progress, first at once and before the first step. */
export function startProgressReporter(
  steps: number,
  { active }: CheckRunner,
  onProgress: (progress: CheckProgress) => void,
): ProgressReporter {
  let done = 0
  const report = () =>
    onProgress({ done, steps, waitingFor: [...active].map((run) => toWaitingRun(run, performance.now())) })
  const timer = setInterval(report, 1000)
  report()
  return {
    endStep: () => {
      done += 1
      report()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

interface WaitingRun {
  readonly title: string
  readonly forSec: number
  readonly atMostSec: number
}

/** Reports progress once a second and after each step, until it is disposed of. */
interface ProgressReporter extends Disposable {
  endStep(): void
}

function toWaitingRun({ title, startedAtMs, limitMs }: ActiveRun, nowMs: number): WaitingRun {
  const forSec = Math.round((nowMs - startedAtMs) / 1000)
  return { title, forSec, atMostSec: Math.ceil(limitMs / 1000) }
}
