// Folder: the outcomes of calls for operations: words and numbers of closed sets, spooled by a call and sent by another process.

import type { HelperContext } from '../contract/context.ts'
import type { OutputFormat } from '../contract/output-format.ts'
import type { RefreshCause } from '../contract/refresh.ts'
import type { SourceKind } from '../contract/source-kinds.ts'
import type { StageKind } from '../runtime/deadline.ts'
import type { FailureKind } from '../runtime/failure.ts'

/** The origin of a call's token. `kept`: a cached token, because the source could not be reached. */
export const tokenOrigins = ['cache', 'mint', 'kept'] as const

/** See {@link tokenOrigins}. */
export type TokenOrigin = (typeof tokenOrigins)[number]

/**
 * The outcome of one call for an organization's operations. Every member is a whole number or a word of a closed set, except `helper` and
 * `version`, which are words of this program. It holds no text of a person, a file, a server or a token.
 */
export interface CallOutcome {
  /** When the process started, in milliseconds since the epoch. */
  readonly time: number
  readonly helper: string
  readonly version: string
  readonly context: HelperContext
  /** The cause of a call in `mid-session-refresh`, as far as it is known; absent in other contexts. */
  readonly refresh?: RefreshCause | undefined
  readonly format: OutputFormat
  readonly outcome: 'success' | FailureKind
  readonly status: number
  /** The time from the start of the process to the output, in milliseconds. */
  readonly ms: number
  /** Absent for a call that failed. */
  readonly origin?: TokenOrigin | undefined
  /** Absent if no plan was made. */
  readonly source?: SourceKind | undefined
  /** How long the source took, in milliseconds; absent if it was not asked. */
  readonly mintMs?: number | undefined
  /** The stage that was waiting when the deadline passed, for a call that failed or served a cached token because of that. */
  readonly late?: StageKind | undefined
}

/** In bytes, with the line break: the longest line. A pipe or a file takes this many with one write. */
export const longestOutcomeLine = 512

/** Renders an outcome as one line of JSON, without a line break. Absent members are left out. */
export function renderOutcome(outcome: CallOutcome): string {
  return JSON.stringify(outcome)
}
