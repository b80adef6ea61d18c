import type { StageKind } from '../../../../runtime/deadline.ts'
import type { FailureKind } from '../../../../runtime/failure.ts'
import type { CallOutcome } from '../../../../runtime/outcome/call-outcome.ts'

/** What the report knows of one call: the part of its outcome that every kind of log holds. */
export interface LoggedCall extends Pick<CallOutcome, 'time' | 'helper' | 'version' | 'ms' | 'origin' | 'mintMs'> {
  readonly outcome: 'success' | FailureKind
  /** A word of the release that wrote it, which may be newer than this one. */
  readonly context: string
  readonly source: string | undefined
  /** What a call with the outcome `late` waited for; `undefined` for a word that this release does not know. */
  readonly late: StageKind | undefined
}

/** One record of a log. */
export type LogRecord =
  | {
      readonly kind: 'call'
      readonly call: LoggedCall
      /** The machine as the record names it. */
      readonly machine: string | undefined
      /** Whether its text is that of one call anywhere, or of one call on its machine. */
      readonly unique: 'anywhere' | 'on its machine'
    }
  /** Of another program, or no call: what else is in a journal. */
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable' }

/** Records that hold no call. */
export const otherRecord: LogRecord = { kind: 'other' }
export const unreadableRecord: LogRecord = { kind: 'unreadable' }
