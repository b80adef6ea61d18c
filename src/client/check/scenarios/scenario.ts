import type { HelperClient } from '../../../contract/clients/client.ts'
import type { CheckRunner } from '../runs/check-runner.ts'
import type { Run } from '../runs/run.ts'

/** How long runs may take, in milliseconds. */
export interface Limits {
  /** How long the client waits. */
  readonly timeoutMs: number
  /** How long it waits in `mid-session-refresh`. */
  readonly refreshMs: number
}

/** `at-once`: where ten runs at once are healthy, the other conditions are tried at once, too. */
export type Pace = 'one-at-a-time' | 'at-once'

/** What every scenario of a check is given. */
export interface ScenarioSetup {
  readonly runner: CheckRunner
  readonly client: HelperClient
  readonly limits: Limits
  readonly pace: Pace
  readonly platform: NodeJS.Platform
  /** Ends the check, after an interrupt or when its time is over. */
  readonly signal: AbortSignal
  /** Whether the helper was given arguments. */
  readonly hasArguments: boolean
  /** What the scenarios so far gave. */
  readonly earlier: ReadonlyMap<ScenarioName, Observation>
}

/**
 * What a scenario gave: its runs, no run because an earlier scenario already failed, or the reason why it was not made.
 */
export type Observation = { readonly runs: readonly Run[] } | { readonly unavailable: string }

/** One way, or a few related ways, to run a helper. */
export interface Scenario {
  /** Clients for which it is made; all of them by default. */
  readonly isFor?: (client: HelperClient) => boolean
  /**
   * When it is made at the pace `at-once`: `alone` comes first, because what runs at once break would be blamed on it;
   * a `condition` may be tried beside others.
   */
  readonly stage: 'alone' | 'parallel' | 'condition' | 'kill'
  /** Scenarios that must have given tokens, as far as they were made. */
  readonly after: readonly ScenarioName[]
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
  | 'after-parallel'
  | 'after-kill'
  | 'other-servers'
  | 'other-operations'
  | 'after-erase'
