import { performance } from 'node:perf_hooks'
import type { HelperClient } from '../../contract/client.ts'
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
  /** The absolute path of an executable, in any language, and its arguments. */
  readonly command: string
  readonly args?: readonly string[]
  /** The client whose rules are checked; the desktop client by default. */
  readonly client?: ClientName
  /** The client's own environment, which every run inherits. */
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** Variables of `env` that an administrator sets for every program, so that a client started from a desktop has them too. */
  readonly keepEnv?: readonly string[]
  /** Values of the client's configuration; the client's defaults if absent. */
  readonly ttlSec?: number
  readonly timeoutSec?: number
  /** How long a token lives that does not state it. */
  readonly tokenLifeSec?: number
  /** The gateway that gets the tokens; nothing is sent to it. */
  readonly baseUrl?: string
  /** Only these rules, and those that they need; all of them by default. */
  readonly rules?: readonly RuleId[]
  /** `one-at-a-time` for slow machines; then only the rules about parallel runs make runs beside each other. */
  readonly pace?: Pace
  /** How long the whole check may take; see {@link computeCheckLimitSec} for the default. */
  readonly limitSec?: number
  /** The time with which the end of a token is compared, in epoch milliseconds; processes run in real time. */
  readonly now?: () => number
  /** Interrupts the check, which ends every process that it started. */
  readonly signal?: AbortSignal
  /** Called once a second, and after each step. */
  readonly onProgress?: (progress: CheckProgress) => void
}

/** How long the check may take beside one run that uses up the client's timeout, in seconds; enough for a helper of a few seconds. */
export const usualCheckSec = 120

/** How long the whole check may take, in seconds: with the desktop client's default timeout three minutes. */
export function computeCheckLimitSec(options: Partial<CheckOptions>): number {
  return options.limitSec ?? usualCheckSec + computeTimeoutSec(options)
}

/** The client whose rules are checked. */
export function toClient({ client = 'desktop' }: Partial<CheckOptions>): HelperClient {
  return clients[client]
}

/** How long the client waits; for a client that waits without an end, the desktop client's time. */
function computeTimeoutSec(options: Partial<CheckOptions>): number {
  return options.timeoutSec ?? toClient(options).waiting.timeoutSec ?? clientDefaults.timeoutSec
}

/** How long a client waits for a run. */
export function toLimits(options: Partial<CheckOptions>): Limits {
  const timeoutSec = computeTimeoutSec(options)
  const refreshSec =
    toClient(options).context === 'told' ? computeHelperTimeoutSec({ timeoutSec }, 'mid-session-refresh') : timeoutSec
  return { timeoutMs: timeoutSec * 1000, refreshMs: refreshSec * 1000 }
}

/** Collects the facts that rules compare with, from the options, the client's defaults and the environment. */
export function toFacts(options: CheckOptions): Omit<CheckFacts, 'file' | 'allRuns' | 'fileSearch'> {
  const { command, args = [], platform, tokenLifeSec, baseUrl, env } = options
  const client = toClient(options)
  const end = Date.parse(env.AWS_CREDENTIAL_EXPIRATION ?? '')
  return {
    client,
    command,
    args,
    platform,
    shellVariables: listShellVariables(env, options.keepEnv),
    ttlSec: options.ttlSec ?? client.refresh.intervalSec ?? clientDefaults.ttlSec,
    refreshSec: toLimits(options).refreshMs / 1000,
    ...(tokenLifeSec !== undefined && { tokenLifeSec }),
    ...(baseUrl !== undefined && { gatewayHost: new URL(baseUrl).hostname }),
    ...(!Number.isNaN(end) && { credentialsEnd: end }),
  }
}

/** The progress of a check, and the runs that it waits for. */
export interface CheckProgress {
  /** How many of the `steps` are done. */
  readonly done: number
  readonly steps: number
  /** The runs that have not ended yet, in the order in which they were started. */
  readonly waitingFor: readonly WaitingRun[]
}

/** Reports at once, before the first step. */
export function startProgressReporter(
  steps: number,
  { active }: CheckRunner,
  onProgress: (progress: CheckProgress) => void,
): ProgressReporter {
  let done = 0
  const report = () => onProgress({ done, steps, waitingFor: [...active].map(toWaitingRun) })
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

/** A run that a check waits for. */
interface WaitingRun {
  /** The conditions of the run, such as `in the context background`. */
  readonly title: string
  readonly forSec: number
  readonly atMostSec: number
}

/** Reports progress once a second and after each step, until it is disposed of. */
interface ProgressReporter extends Disposable {
  endStep(): void
}

function toWaitingRun({ title, startedAtMs, limitMs }: ActiveRun): WaitingRun {
  const forSec = Math.round((performance.now() - startedAtMs) / 1000)
  return { title, forSec, atMostSec: Math.ceil(limitMs / 1000) }
}
