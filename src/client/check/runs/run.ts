// Folder: making and observing one run: its output, browsers, files, network and processes.

import type { HelperClient } from '../../../contract/client.ts'
import type { RefreshCause } from '../../../contract/refresh.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { renderMs } from '../../../runtime/values/duration.ts'
import { type LaunchEnd, selectFirstLine } from '../../launch/launch.ts'
import type { BrokenProxy } from './broken-proxy.ts'
import { type OutputFacts, tokenFaults } from './parse-run-output.ts'

/** A secret that was found where nobody should see it. */
export interface Exposure {
  /** The secret, such as `the token`. */
  readonly what: string
  readonly where: 'stderr' | 'arguments' | 'environment'
}

/** One run of the helper with all observations, without secrets. */
export interface Run {
  /** The conditions of the run, such as `in the context background`. */
  readonly title: string
  /** `killed`: the check killed it, so its end proves nothing. */
  readonly purpose: 'observed' | 'killed'
  /** The value of the context variable. */
  readonly context: string | undefined
  readonly mayPrompt: boolean
  /** `false` if a broken proxy replaced the network. */
  readonly isNetworkIntact: boolean
  readonly ended: LaunchEnd
  readonly limitMs: number
  readonly durationMs: number
  /** Epoch milliseconds, by the check's clock. */
  readonly endedAt: number
  readonly output: OutputFacts
  /** With secrets replaced. This happens on first access, because it takes long for long tokens and most runs are not quoted. */
  readonly stderr: string
  /** The length of stderr as it was written. */
  readonly stderrBytes: number
  readonly exposures: readonly Exposure[]
  /** The decoy browsers that it called. */
  readonly browsers: readonly string[]
  /** How many instances of the same program ran at once, each started by the one before. */
  readonly nesting: number
  readonly proxyConnections: number
  /** The addresses of connections that bypassed the proxy. */
  readonly remotes: readonly string[]
  /** The text that it wrote to its terminal; empty if it had none. */
  readonly terminal: string
}

/** A run from which a client got a token. */
export type HealthyRun = Run & { readonly output: OutputFacts & { readonly ok: true } }

/** Returns whether a client got a token from the run. A sentence is not a token, although a client would send it. */
export function isHealthy(run: Run): run is HealthyRun {
  return run.ended.how === 'exited' && run.ended.status === 0 && run.output.ok && run.output.fault === undefined
}

/**
 * Finds a run before the first refresh that printed the same token as this refresh. Refreshes are not compared with each other, because one
 * may serve the new token of another.
 */
export function findSameToken(refresh: HealthyRun, allRuns: readonly Run[]): Run | undefined {
  const first = allRuns.findIndex(({ context }) => context === refresh.context)
  return allRuns.slice(0, first).find((run) => isHealthy(run) && isSameToken(run, refresh))
}

export function isSameToken(one: HealthyRun, other: HealthyRun): boolean {
  return one.output.token.fingerprint === other.output.token.fingerprint
}

/** Returns whether the end of the token is stated, in it or beside it. */
export function hasKnownEnd({ output }: HealthyRun): boolean {
  return output.token.end !== undefined || output.statedEnd !== undefined
}

/**
 * How long the output of a run may stay open after the run has ended. A client waits until its timeout, and so would every run of such a
 * helper: the first run is sufficient evidence.
 */
export const longestHeldMs = 5000

/** Describes the end of a run for a report. */
export function describeRun(run: Run | undefined): string {
  if (!run) return 'no run was made'
  const { ended, output } = run
  const after = `after ${renderMs(run.durationMs)}`
  switch (ended.how) {
    case 'timeout':
      return ended.process === 'killed'
        ? `it did not end within ${renderMs(run.limitMs)} ${run.title}${quoteStderr(run)}`
        : `it ended ${run.title}, but a process that it left behind kept its output open for ${renderMs(Math.min(run.limitMs, longestHeldMs))}`
    case 'not-started':
      return `it cannot be started (${ended.code}) ${run.title}`
    case 'signal':
      return `it was killed by ${ended.signal} ${run.title} ${after}`
    case 'flooded':
      return `it printed more than a client reads ${run.title}`
    case 'exited':
      if (ended.status !== 0) return `it failed with exit status ${ended.status} ${run.title}${quoteStderr(run)}`
      if (!output.ok) return `no token ${run.title}: ${output.message}`
      if (output.fault) return `no token ${run.title}: ${tokenFaults[output.fault].seen}`
      return `a token ${run.title} ${after}`
  }
}

function quoteStderr({ stderr }: Run): string {
  const line = cutFirstLine(stderr)
  return line === '' ? ', with nothing on stderr' : `; on stderr: ${line}`
}

/** Cuts the first line of stderr for a report, in which it has to fit on two lines. */
export function cutFirstLine(stderr: string): string {
  return selectFirstLine(stderr).slice(0, 160)
}

/** The helper to check, and the environment of its runs. */
export interface CheckedHelper {
  /** The client whose rules the runs follow. */
  readonly client: HelperClient
  /** The full URL of the server for which a client requests credentials, if its protocol has requests. */
  readonly server: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** The check's own time, in epoch milliseconds. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/** A run as a scenario requests it. */
export interface CheckRunRequest {
  readonly title: string
  /** The value of the context variable; `undefined` leaves it unset. */
  readonly context: string | undefined
  /** The cause of a refresh; `expired` by default. */
  readonly refreshCause?: RefreshCause
  readonly limitMs: number
  readonly purpose?: Run['purpose']
  /** Replaces variables of the run's environment. */
  readonly env?: Environment
  readonly args?: readonly string[]
  readonly stdin?: 'closed' | 'silent' | 'terminal'
  /** The operation that a client requests; `get` by default. An `erase` names the last credential. */
  readonly operation?: string
  /** Replaces {@link CheckedHelper.server}. */
  readonly server?: string
  readonly proxy?: BrokenProxy
}
