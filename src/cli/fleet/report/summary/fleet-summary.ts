import type { FailureKind } from '../../../../runtime/failure.ts'
import type { CallOrigin } from '../totals/fleet-totals.ts'
import type { LateStage } from '../totals/late-stage.ts'

/** What the report says, before it is text, JSON or a page. Moments are in milliseconds since the epoch. */
export interface FleetSummary {
  /** When the first and the last call began that are drawn; absent without any call. */
  readonly period: { readonly from: number; readonly to: number } | undefined
  readonly calls: number
  readonly failed: number
  readonly machines: MachineCounts
  readonly origins: readonly ({ readonly origin: CallOrigin } & DurationFacts)[]
  /** The most frequent first. */
  readonly causes: readonly CauseSummary[]
  readonly late: readonly ({ readonly stage: LateStage; readonly machines: number } & DurationFacts)[]
  /** How long each kind of source took; the slowest first. */
  readonly sources: readonly ({ readonly source: string } & DurationFacts)[]
  /** The newest first. */
  readonly versions: readonly VersionSummary[]
  /** The newest version that a tenth of the machines have, and two at least, those with a newer one included; absent without any call. */
  readonly currentVersion: string | undefined
  /** Machines that failed, the ones with most failures first. */
  readonly failing: readonly MachineSummary[]
  /** Machines whose latest call was of an older version than the current one, the oldest version first. */
  readonly behind: readonly { readonly machine: string; readonly version: string; readonly seenAt: number }[]
  readonly moments: MomentsSummary
  readonly input: InputSummary
}

/** How many machines there are, and how they are. */
export interface MachineCounts {
  readonly all: number
  /** With a failure in the period. */
  readonly failed: number
  /** With a helper of which no call has succeeded since its last failure. */
  readonly stillFailing: number
}

/**
 * Calls of one kind, and how long half, nineteen of twenty, and ninety-nine of a hundred took at most, in milliseconds; `undefined`
 * where no log says it.
 */
export interface DurationFacts {
  readonly calls: number
  /** How many of them have a known duration. */
  readonly timed: number
  readonly p50: number | undefined
  readonly p95: number | undefined
  readonly p99: number | undefined
  /** How many took how long: one number for each step of `durationSteps`. */
  readonly steps: readonly number[]
}

/** One cause of failures. */
export interface CauseSummary {
  readonly cause: FailureKind
  /** The exit status. */
  readonly status: number
  readonly calls: number
  readonly machines: number
  /** Half of the failures are on so few machines. */
  readonly halfOn: number
  /** Machines with a helper whose last call failed for this cause. */
  readonly stillFailing: number
  readonly helpers: readonly WordCount[]
  readonly contexts: readonly WordCount[]
}

/** A word of the logs, and how many calls had it. */
export interface WordCount {
  readonly name: string
  readonly calls: number
}

/** A version, the machines whose latest call was of it, and all calls. */
export interface VersionSummary {
  readonly version: string
  readonly machines: number
  readonly calls: number
}

/** A machine that failed. */
export interface MachineSummary {
  readonly machine: string
  readonly version: string
  readonly calls: number
  readonly failed: number
  readonly failures: Readonly<Partial<Record<FailureKind, number>>>
  /** Helpers of which no call has succeeded since their last failure; none where all have recovered. */
  readonly stillFailing: readonly string[]
  /** Of these, the one that has not succeeded for the longest time; of all, the latest, where there are none. Absent for never. */
  readonly lastSuccessAt: number | undefined
  readonly lastFailureAt: number
}

/** Calls over time, in steps of equal length without a gap. */
export interface MomentsSummary {
  readonly stepMs: number
  readonly columns: readonly MomentSummary[]
  /** Calls whose time is far from that of all others, as where a clock is wrong. They are neither among the columns nor in the period. */
  readonly farAway: number
}

/** One step of time. */
export interface MomentSummary {
  readonly at: number
  readonly calls: number
  readonly failed: Readonly<Partial<Record<FailureKind, number>>>
  readonly versions: Readonly<Record<string, number>>
}

/** What was read, and what could not be. */
export interface InputSummary {
  readonly files: number
  /** Calls that the records hold. */
  readonly calls: number
  /** Calls whose record was there twice, of which one is counted. */
  readonly repeated: number
  /** Whether there was no room to find every repeated one. */
  readonly repeats: 'found' | 'not all found'
  /** Calls that the options left out. */
  readonly leftOut: number
  /** Calls of machines for which there was no room; they are in the sums, and on no machine. */
  readonly unnamed: number
  /** Calls that a machine has lost, and counted, before they were logged. */
  readonly lost: number
  /** Records of other programs. */
  readonly other: number
  readonly unreadable: number
  /** Files with records that could not be read, or that could not be read themselves. */
  readonly troubles: readonly InputTrouble[]
}

/** What was wrong with a file. Nothing of its content is repeated. */
export interface InputTrouble {
  readonly path: string
  readonly records: number
  /** The line in which the first of them begins. */
  readonly line: number | undefined
  /** Why the file could not be read, or not to its end. */
  readonly reason: string | undefined
}
