import type { HelperContext } from '../../contract/context.ts'
import type { Deadline, StageKind } from '../../runtime/deadline.ts'
import type { HelperError } from '../../runtime/failure.ts'
import type { SourceKind } from '../../runtime/outcome/source-kinds.ts'
import type { ServedToken } from '../mint/cached-call.ts'
import type { ResolvedOptions } from '../options/resolve.ts'

/** What is known of a call, for the log. It contains no secret. */
export interface CallRecord {
  /** Each with its duration in milliseconds, in the order in which they ended. */
  readonly stages: [stage: string, ms: number][]
  readonly warnings: string[]
  context?: HelperContext
  resolved?: ResolvedOptions
  /** The plan's steps. */
  uses?: readonly string[]
  sourceKind?: SourceKind | undefined
  /** How long the source took, in milliseconds. */
  mintMs?: number
  /** Of the call; knows what was waited for when it passed. */
  deadline?: Deadline
  /** The key of the cache entry. */
  key?: string
  /** A person asked for a text, such as `--help` or `--explain`, and not a client for a token. */
  isForPerson?: true
  served?: ServedToken['origin']
  failure?: HelperError
  /** Why a token was not renewed early; the kept one was served, and nobody was told. */
  unrenewed?: HelperError
  /** The call of the second helper, where an answer holds two tokens. */
  second?: { readonly program: string; readonly record: CallRecord }
  /** The options of the second helper, where it is the one that failed. */
  failedWith?: ResolvedOptions
}

/** An empty record. */
export function createCallRecord(): CallRecord {
  return { stages: [], warnings: [] }
}

/** What was waited for when the deadline came; of a call that failed so, or served a kept token for it. */
export function findLateStage({ failure, served, deadline }: CallRecord): StageKind | undefined {
  const isKept = failure === undefined && served === 'cache, because the source cannot be reached'
  return isKept || failure?.kind === 'late' ? deadline?.late : undefined
}

/** The log file; `undefined` where none is set, or the settings could not be read. */
export function findLogFile({ resolved }: CallRecord): string | undefined {
  const path = resolved?.get('log-file')?.value
  return typeof path === 'string' ? path : undefined
}
