// Declares a scenario of a check; `scenarios.ts` has all of them, and `scenario-runs.ts` what they share.

import type { HelperClient } from '../../contract/client.ts'
import type { CheckRunner } from './runs/check-runner.ts'
import type { Run } from './runs/run.ts'

/** The limits of runs, in milliseconds. */
export interface Limits {
  /** The time after which the client kills the run. */
  readonly timeoutMs: number
  /** How long the client waits in `mid-session-refresh`. */
  readonly refreshMs: number
}

/** `at-once`: if ten parallel runs are healthy, the other conditions are tried in parallel too. */
export type Pace = 'one-at-a-time' | 'at-once'

/** The setup of every scenario of a check. */
export interface ScenarioSetup {
  readonly runner: CheckRunner
  readonly client: HelperClient
  readonly limits: Limits
  readonly pace: Pace
  readonly platform: NodeJS.Platform
  /** Aborted when the check is interrupted or its time ends. */
  readonly signal: AbortSignal
  /** Whether the command has arguments. */
  readonly hasArguments: boolean
  /** Variables that a program lacks if a desktop starts it. */
  readonly shellVariables: readonly string[]
  /** The observations of the earlier scenarios. */
  readonly earlier: ReadonlyMap<ScenarioName, ScenarioObservation>
}

/** The result of a scenario: its runs, no run because an earlier scenario failed, or the reason why it was not tried. */
export type ScenarioObservation = { readonly runs: readonly Run[] } | { readonly unavailable: string }

/** One way, or a few related ways, to run a helper. */
export interface CheckScenario {
  /** The clients for which the scenario is run; by default those to which a rule that reads it applies. */
  readonly isFor?: (client: HelperClient) => boolean
  /**
   * When the scenario runs at the pace `at-once`: `alone` comes first, because damage by parallel runs would be attributed to it; a
   * `condition` may run beside others.
   */
  readonly stage: 'alone' | 'parallel' | 'condition' | 'kill'
  /** The scenarios that must have given tokens, if they were run. */
  readonly after: readonly ScenarioName[]
  readonly observe: (setup: ScenarioSetup) => Promise<ScenarioObservation>
}

/** The name of a scenario: the condition that distinguishes its runs. */
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
