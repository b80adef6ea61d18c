import type { HelperContext } from '../../contract/context.ts'
import type { OutputFormat } from '../../contract/formats/output-format.ts'
import type { StageKind } from '../deadline.ts'
import type { FailureKind } from '../failure.ts'
import type { SourceKind } from './source-kinds.ts'

/** Where the token of a call came from: `kept` is one of the cache, because the source could not be reached. */
export const tokenOrigins = ['cache', 'mint', 'kept'] as const

/** See {@link tokenOrigins}. */
export type TokenOrigin = (typeof tokenOrigins)[number]

/**
 * What operations are told of one call. Every member is a whole number or a word of a closed set, except `helper` and `version`,
 * which are words of this program: no text of a person, a file, a server or a token is in it.
 */
export interface CallOutcome {
  /** When the process started, in milliseconds since the epoch. */
  readonly time: number
  readonly helper: string
  readonly version: string
  readonly context: HelperContext
  readonly format: OutputFormat
  readonly outcome: 'success' | FailureKind
  /** The exit status. */
  readonly status: number
  /** From the start of the process to the output, in milliseconds. */
  readonly ms: number
  /** Absent for a call that failed. */
  readonly origin?: TokenOrigin | undefined
  /** Absent where no plan was made. */
  readonly source?: SourceKind | undefined
  /** How long its source took, in milliseconds; absent where it was not asked. */
  readonly mintMs?: number | undefined
  /** What was waited for when the deadline came; of a call that failed so, or served a kept token for it. */
  readonly late?: StageKind | undefined
}
