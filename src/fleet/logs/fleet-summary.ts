// Folder: collected logs of real machines: reading them, counting calls, and summarizing the counts.

import type { FailureKind } from '../../runtime/failure.ts'
import type { CallOrigin } from './fleet-totals.ts'
import type { LateStage } from './machine-totals.ts'
import type { ServedSummary } from './served-answers.ts'

/** The report before it is rendered as text, JSON or a page. Times are in milliseconds since the epoch. */
export interface FleetSummary {
  /** The beginning of the first and of the last drawn call; absent without calls. */
  readonly period: { readonly from: number; readonly to: number } | undefined
  readonly calls: number
  readonly failed: number
  readonly machines: MachineCounts
  readonly origins: readonly ({ readonly origin: CallOrigin } & DurationFacts)[]
  /** The most frequent cause comes first. */
  readonly causes: readonly CauseSummary[]
  readonly late: readonly ({ readonly stage: LateStage; readonly machines: number } & DurationFacts)[]
  /** How long each kind of source took, slowest first. */
  readonly sources: readonly ({ readonly source: string } & DurationFacts)[]
  /** The newest version comes first. */
  readonly versions: readonly VersionSummary[]
  /** The newest version that at least a tenth of the machines, and at least two, have or have passed. Absent without calls. */
  readonly currentVersion: string | undefined
  /** Machines with failures, those with most failures first. */
  readonly failing: readonly MachineSummary[]
  /** Machines whose latest call came from an older version than the current one, oldest version first. */
  readonly behind: readonly { readonly machine: string; readonly version: string; readonly seenAt: number }[]
  readonly moments: MomentsSummary
  /** The people by the configuration that they run; absent without the audit of a configuration server. */
  readonly served?: ServedSummary
  readonly input: InputSummary
}

/** The number of all machines, and of those in each state. */
export interface MachineCounts {
  readonly all: number
  /** Machines with a failure in the period. */
  readonly failed: number
  /** Machines with a helper whose last failure was not followed by a success. */
  readonly stillFailing: number
}

/**
 * Calls of one kind, and the median, the 95th and the 99th percentile of their durations, in milliseconds; `undefined` if no log
 * states durations.
 */
export interface DurationFacts {
  readonly calls: number
  /** The number of calls with a known duration. */
  readonly timed: number
  readonly p50: number | undefined
  readonly p95: number | undefined
  readonly p99: number | undefined
  /** The number of calls for each step of `durationSteps`. */
  readonly steps: readonly number[]
}

/** The calls that failed for one cause, and their distribution over machines. */
export interface CauseSummary {
  readonly cause: FailureKind
  /** The exit status that clients saw. */
  readonly status: number
  readonly calls: number
  readonly machines: number
  /** The smallest number of machines that have half of the failures. */
  readonly halfOn: number
  /** The number of machines with a helper whose last call failed for this cause. */
  readonly stillFailing: number
  readonly helpers: readonly WordCount[]
  readonly contexts: readonly WordCount[]
}

/** A word of the logs, and the number of calls with it. */
export interface WordCount {
  readonly name: string
  readonly calls: number
}

/** A version, the number of machines whose latest call came from it, and its calls. */
export interface VersionSummary {
  readonly version: string
  readonly machines: number
  readonly calls: number
}

/** A machine with failed calls. */
export interface MachineSummary {
  readonly machine: string
  readonly version: string
  readonly calls: number
  readonly failed: number
  readonly failures: Readonly<Partial<Record<FailureKind, number>>>
  /** Helpers whose last failure was not followed by a success; empty if all have recovered. */
  readonly stillFailing: readonly string[]
  /**
   * The last success of the failing helper with the longest failure; if all have recovered, the machine's latest success. Absent without a
   * success.
   */
  readonly lastSuccessAt: number | undefined
  readonly lastFailureAt: number
}

/** Calls over time, in equal steps without gaps. */
export interface MomentsSummary {
  readonly stepMs: number
  readonly columns: readonly MomentSummary[]
  /** Calls whose time is far from all others, for example because of a wrong clock. They are neither in the columns nor in the period. */
  readonly farAway: number
}

/** The calls of one step of time, which begins at `at`. */
export interface MomentSummary {
  readonly at: number
  readonly calls: number
  readonly failed: Readonly<Partial<Record<FailureKind, number>>>
  readonly versions: Readonly<Record<string, number>>
}

/** The inputs that were read, and those with problems. */
export interface InputSummary {
  readonly files: number
  /** The number of calls in the records. */
  readonly calls: number
  /** Calls with two records; each is counted once. */
  readonly repeated: number
  /** Whether the memory was sufficient to find every repeated call. */
  readonly repeats: 'found' | 'not all found'
  /** Calls that the options excluded. */
  readonly leftOut: number
  /** Calls of machines beyond the limit; the sums include them, but no machine does. */
  readonly unnamed: number
  /** Calls that a machine counted, but whose records it lost. */
  readonly lost: number
  /** Records of other programs. */
  readonly other: number
  readonly unreadable: number
  /** Files that could not be read, and files with unreadable records. */
  readonly troubles: readonly InputTrouble[]
}

/** The problem with a file. It repeats no content. */
export interface InputTrouble {
  readonly path: string
  readonly records: number
  /** The line of the first unreadable record. */
  readonly line: number | undefined
  /** Why the file could not be read completely. */
  readonly reason: string | undefined
}
