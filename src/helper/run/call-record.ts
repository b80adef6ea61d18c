import type { HelperContext } from '../../contract/context.ts'
import { escapeControls } from '../../runtime/escape-controls.ts'
import { type HelperError, toOneLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { version } from '../../version.ts'
import type { ServedToken } from '../mint/cached-call.ts'
import { describeOptions } from '../options/describe.ts'
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
  /** The key of the cache entry. */
  key?: string
  served?: ServedToken['origin']
  failure?: HelperError
}

/** An empty record. */
export function createCallRecord(): CallRecord {
  return { stages: [], warnings: [] }
}

/** The log file; `undefined` where none is set, or the settings could not be read. */
export function findLogFile({ resolved }: CallRecord): string | undefined {
  const path = resolved?.get('log-file')?.value
  return typeof path === 'string' ? path : undefined
}

/** A record as one line of JSON. */
export function renderCallRecord(
  record: CallRecord,
  { program, clock, process, status }: { program: string; clock: Host['clock']; process: number; status: number },
): string {
  const { context, resolved, uses, key, stages, served, warnings, failure } = record
  const line = JSON.stringify({
    time: new Date(clock.startedAt).toISOString(),
    program,
    version,
    process,
    context,
    options: resolved && describeOptions(resolved).map(toOneLine),
    uses,
    entry: key,
    stages: stages.map(([stage, ms]) => ({ stage, ms: Math.round(ms) })),
    served,
    warnings,
    failure: failure && { kind: failure.kind, message: failure.message, hint: failure.hint },
    status,
    ms: Math.round(clock.elapsedMs()),
  })
  return escapeControls(line) // people read the log on a terminal, too
}
