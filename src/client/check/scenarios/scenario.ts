import type { CheckRunner } from '../runs/check-runner.ts'
import type { Run } from '../runs/run.ts'

/** How long runs may take, in milliseconds. */
export interface Limits {
  /** How long the client waits. */
  readonly timeoutMs: number
  /** How long it waits in `mid-session-refresh`. */
  readonly refreshMs: number
}

/** What every scenario of a check is given. */
export interface ScenarioSetup {
  readonly runner: CheckRunner
  readonly limits: Limits
  readonly platform: NodeJS.Platform
  readonly signal: AbortSignal
  /** Whether the helper was given arguments. */
  readonly hasArguments: boolean
  /** What the scenarios so far gave. */
  readonly earlier: ReadonlyMap<ScenarioName, Observation>
}

/**
 * What a scenario gave: its runs, no run because an earlier scenario already failed, or the reason why this system
 * cannot make it.
 */
export type Observation = { readonly runs: readonly Run[] } | { readonly unavailable: string }

/** One way, or a few related ways, to run a helper. */
export interface Scenario {
  /** What a person is shown while it runs. */
  readonly title: string
  /** Scenarios that must have given tokens, as far as they were made. */
  readonly after: readonly ScenarioName[]
  /** The longest that it can take, in milliseconds. */
  readonly longestMs: (limits: Limits) => number
  readonly observe: (setup: ScenarioSetup) => Promise<Observation>
}

/** The names of all scenarios. */
export type ScenarioName =
  | 'background'
  | 'silent-contexts'
  | 'interactive'
  | 'closed-stdin'
  | 'open-stdin'
  | 'bare-path'
  | 'without-arguments'
  | 'terminal'
  | 'network-dead'
  | 'network-hanging'
  | 'refresh'
  | 'parallel'
  | 'after-kill'
