import type { CheckRunner } from '../runs/check-runner.ts'
import type { Run } from '../runs/run.ts'

/** How long runs may take, in milliseconds. */
export interface Limits {
  /** What the client waits. */
  readonly timeoutMs: number
  /** What it waits in `mid-session-refresh`. */
  readonly refreshMs: number
}

export interface Setting {
  readonly bench: CheckRunner
  readonly limits: Limits
  readonly platform: NodeJS.Platform
  readonly signal: AbortSignal
  /** Whether the helper was given arguments. */
  readonly hasArguments: boolean
  /** Runs of the scenarios so far. */
  readonly earlier: ReadonlyMap<ScenarioName, Observation>
}

/** What a scenario gave: runs, none because an earlier one already failed, or the reason why this system has none. */
export type Observation = { readonly runs: readonly Run[] } | { readonly absent: string }

/** One way, or a few related ones, in which a helper is run. */
export interface Scenario {
  /** What a person is told while it goes on. */
  readonly title: string
  /** Made only while these, as far as they were asked for, gave tokens. */
  readonly after: readonly ScenarioName[]
  /** At most, in milliseconds. */
  readonly longestMs: (limits: Limits) => number
  readonly observe: (setting: Setting) => Promise<Observation>
}

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
