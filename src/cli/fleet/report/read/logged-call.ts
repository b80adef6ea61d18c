import type { StageKind } from '../../../../runtime/deadline.ts'
import type { FailureKind } from '../../../../runtime/failure.ts'
import type { CallOutcome } from '../../../../runtime/outcome/call-outcome.ts'

/** What the report knows of one call, or of several that a system's log counts: the part of an outcome that every kind of log holds. */
export interface LoggedCall extends Pick<CallOutcome, 'time' | 'helper' | 'version' | 'origin' | 'mintMs'> {
  /** How many calls it stands for: 1, except of those that were served from the cache. */
  readonly count: number
  /** `undefined` where calls are counted. */
  readonly ms: number | undefined
  readonly outcome: 'success' | FailureKind
  /** A word of the release that wrote it, which may be newer than this one. */
  readonly context: string
  readonly source: string | undefined
  /** What a call with the outcome `late` waited for; `undefined` for a word that this release does not know. */
  readonly late: StageKind | undefined
}

/** Whose record it is. */
export interface RecordOwner {
  /** The machine as the record names it. */
  readonly machine: string | undefined
  /** Whether its text is that of one record anywhere, or of one on its machine. */
  readonly unique: 'anywhere' | 'on its machine'
}

/** One record of a log. */
export type LogRecord =
  | (RecordOwner & { readonly kind: 'call'; readonly call: LoggedCall })
  /** Calls of which a machine knows only how many they were. */
  | (RecordOwner & { readonly kind: 'lost'; readonly time: number; readonly count: number })
  /** Of another program, or no call: what else is in a journal. */
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable' }

/** Records that hold no call. */
export const otherRecord: LogRecord = { kind: 'other' }
export const unreadableRecord: LogRecord = { kind: 'unreadable' }
