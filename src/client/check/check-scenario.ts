import type { HelperClient } from '../../contract/client.ts'
import type { CheckRunner } from './runs/check-runner.ts'
import type { Run } from './runs/run.ts'

/** How long runs may take, in milliseconds. */
export interface Limits {
  /** The time after which the client ends the run. */
  readonly timeoutMs: number
  /** How long it waits in `mid-session-refresh`. */
  readonly refreshMs: number
}

/** `at-once`: where ten runs at once are healthy, the other conditions are tried at once, too. */
export type Pace = 'one-at-a-time' | 'at-once'

/** The setup that every scenario of a check gets. */
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
  /** Variables that a program lacks if a desktop starts it. */
  readonly shellVariables: readonly string[]
  /** The observations of the earlier scenarios. */
  readonly earlier: ReadonlyMap<ScenarioName, ScenarioObservation>
}

/**
 * The result of a scenario: its runs, no run because an earlier scenario already failed, or the reason why it was not made.
 */
export type ScenarioObservation = { readonly runs: readonly Run[] } | { readonly unavailable: string }

/** One way, or a few related ways, to run a helper. */
export interface CheckScenario {
  /** Clients for which it is made; all of them by default. */
  readonly isFor?: (client: HelperClient) => boolean
  /**
   * Its turn at the pace `at-once`: `alone` comes first, because damage done by runs at once would be blamed on it;
   * a `condition` may be tried beside others.
   */
  readonly stage: 'alone' | 'parallel' | 'condition' | 'kill'
  /** Scenarios that must have given tokens, if they were made. */
  readonly after: readonly ScenarioName[]
  readonly observe: (setup: ScenarioSetup) => Promise<ScenarioObservation>
}

/** A scenario, named for the condition that its runs have and others do not. */
export type ScenarioName =
  | 'background'
  | 'silent-contexts'
  | 'interactive'
  | 'closed-stdin'
  | 'open-stdin'
  | 'bare-path'
  | 'desktop-environment'
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
  | 'refusal'
