// Folder: the record of a call, its line in the log, and its outcome for an organization's operations.

import { detectContext } from '../../contract/detect-context.ts'
import type { OutputFormat } from '../../contract/output-format.ts'
import type { SourceKind } from '../../contract/source-kinds.ts'
import type { CallOutcome, TokenOrigin } from '../../outcomes/call-outcome.ts'
import type { Deadline, StageKind } from '../../runtime/deadline.ts'
import { expandHome } from '../../runtime/disk.ts'
import { exitStatus, type FailureKind, HelperError, renderWarning, toOneLine } from '../../runtime/failure.ts'
import { type Host, observeProcessId } from '../../runtime/host.ts'
import { escapeControls } from '../../runtime/text/escape.ts'
import { version } from '../../version.ts'
import type { Refresh } from '../define-helper.ts'
import { describeOptions, type ResolvedOptions } from '../options/resolve-options.ts'

/** The facts of one call for its line in the log. It contains no secret. */
export interface CallRecord {
  /** The finished stages with their durations in milliseconds, in the order in which they ended. */
  readonly stages: [stage: string, ms: number][]
  readonly warnings: string[]
  resolved?: ResolvedOptions
  /** The plan's steps for people. */
  uses?: readonly string[]
  sourceKind?: SourceKind | undefined
  /** How long the source took, in milliseconds. */
  mintMs?: number
  /** The call's deadline, which records the stage that was waiting when it passed. */
  deadline?: Deadline
  /** The key of the cache entry. */
  key?: string
  /** Set if a person asked for a text, such as `--help` or `--explain`, so that this is no request for a token. */
  isForPerson?: true
  served?: TokenOrigin
  /** The cause of a run in `mid-session-refresh`. */
  refresh?: Refresh
  failure?: HelperError
  /** Why an early renewal failed. The cached token was served, without a warning. */
  unrenewed?: HelperError
  /** The call of the second helper, if the answer holds two tokens. */
  second?: { readonly program: string; readonly record: CallRecord }
  /** The options of the second helper, if that one failed. */
  failedWith?: ResolvedOptions
}

/** Creates an empty record, which the stages of a call fill in. */
export function createCallRecord(): CallRecord {
  return { stages: [], warnings: [] }
}

/** Returns whether an option sets a destination for outcomes. It reads no file, because every call runs it. */
export function hasOutcomes(resolved: ResolvedOptions): boolean {
  return resolved.get('outcome-log')?.value === 'system' || resolved.get('otlp-endpoint')?.value !== undefined
}

interface EndedRun {
  readonly program: string
  readonly host: Pick<Host, 'home' | 'env' | 'streams' | 'clock'>
  readonly status: number
}

/**
 * Appends a call's line to its log file, if one is set. An error causes one warning, and never costs the token.
 * @param deadline The short time after the output in which the log may be written.
 */
export async function writeLog(
  record: CallRecord,
  { program, host, status }: EndedRun,
  deadline: Deadline,
): Promise<'finished' | 'abandoned'> {
  const setting = findLogFile(record)
  if (setting === undefined) return 'finished'
  const { appendToLog, describeLogProblem } = await import('../../runtime/files/log-file.ts')
  const line = renderCallRecord(record, { program, host, status })
  const path = expandHome(setting, host.home)
  try {
    await deadline.during('output', path, () => appendToLog(path, line))
    return 'finished'
  } catch (error) {
    const isLate = error instanceof HelperError
    const problem = isLate ? `${path} does not respond` : describeLogProblem(error)
    host.streams.stderr(renderWarning(program, `cannot write the log: ${problem}`))
    return isLate ? 'abandoned' : 'finished'
  }
}

/** Finds the path of the log file; `undefined` if none is set, or if the settings could not be read. */
function findLogFile({ resolved }: CallRecord): string | undefined {
  const path = resolved?.get('log-file')?.value
  return typeof path === 'string' ? path : undefined
}

/** Renders a record as one line of JSON. */
function renderCallRecord(record: CallRecord, { program, host: { env, streams, clock }, status }: EndedRun): string {
  const { second, failure } = record
  const line = JSON.stringify({
    time: new Date(clock.startedAt).toISOString(),
    program,
    version,
    process: observeProcessId(),
    context: detectContext(env, streams.attached),
    ...toFacts(record),
    second: second && { program: second.program, ...toFacts(second.record) },
    late: findLateStage(record),
    failure: failure && { kind: failure.kind, message: failure.message, hint: failure.hint },
    status,
    ms: Math.round(clock.elapsedMs()),
  })
  return escapeControls(line) // people read the log on a terminal, too
}

/** Finds the stage that was waiting when the deadline passed, for a call that failed or served a cached token because of that. */
function findLateStage({ failure, served, deadline }: CallRecord): StageKind | undefined {
  const isKept = failure === undefined && served === 'kept'
  return isKept || failure?.kind === 'late' ? deadline?.late : undefined
}

/** Selects the members of a log line that each of the two helpers has. */
function toFacts({ resolved, uses, key, stages, sourceKind, refresh, served, unrenewed, warnings }: CallRecord) {
  return {
    options: resolved && describeOptions(resolved).map(toOneLine),
    uses,
    source: sourceKind,
    entry: key,
    stages: stages.map(([stage, ms]) => ({ stage, ms: Math.round(ms) })),
    refresh: refresh?.cause,
    served: served && describeOrigin(served),
    unrenewed: unrenewed && { kind: unrenewed.kind, message: unrenewed.message },
    warnings,
  }
}

export function toOutcome(record: CallRecord, { program, host, status }: EndedRun): CallOutcome {
  const { resolved, served, sourceKind, mintMs, failure, refresh } = record
  const { env, streams, clock } = host
  const origin = failure === undefined ? served : undefined
  return {
    time: Math.round(clock.startedAt),
    helper: program,
    version,
    context: detectContext(env, streams.attached),
    refresh: refresh?.cause,
    format: (resolved?.get('format')?.value ?? 'json') as OutputFormat, // the option accepts only these words
    outcome: toWord(status),
    status,
    ms: Math.round(clock.elapsedMs()),
    origin,
    source: sourceKind,
    mintMs: mintMs === undefined ? undefined : Math.round(mintMs),
    late: findLateStage(record),
  }
}

/** Names the origin of a token for the log and for `--explain`. */
export function describeOrigin(origin: TokenOrigin): string {
  return origin === 'kept' ? 'cache, because the source cannot be reached' : origin
}

/** Derives the outcome's word from the exit status alone, whatever failed on the way. */
function toWord(status: number): CallOutcome['outcome'] {
  const kinds = Object.entries(exitStatus) as [FailureKind, number][] // the keys of the table
  return kinds.find(([, known]) => known === status)?.[0] ?? 'success'
}
