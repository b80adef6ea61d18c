import type { HelperContext } from '../../contract/context.ts'
import { type HelperError, toOneLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { version } from '../../version.ts'
import type { Served } from '../mint/cached-call.ts'
import { describeOptions } from '../options/describe.ts'
import type { ResolvedOptions } from '../options/resolve.ts'

/** What becomes known of a call on its way, for the log. Nothing in it is secret. */
export interface CallRecord {
  /** With how long each took, in milliseconds; in the order in which they ended. */
  readonly stages: [stage: string, ms: number][]
  readonly warnings: string[]
  context?: HelperContext
  resolved?: ResolvedOptions
  /** The plan's steps. */
  uses?: readonly string[]
  /** Names the entry of the token cache. */
  key?: string
  served?: Served['origin']
  failure?: HelperError
}

export function createCallRecord(): CallRecord {
  return { stages: [], warnings: [] }
}

/** Where the story is to be written; `undefined` where nobody asked for it, or the settings could not be read. */
export function findLogFile({ resolved }: CallRecord): string | undefined {
  const path = resolved?.get('log-file')?.value
  return typeof path === 'string' ? path : undefined
}

/** A story as one line of JSON. */
export function renderCallRecord(
  story: CallRecord,
  { program, clock, process, status }: { program: string; clock: Host['clock']; process: number; status: number },
): string {
  const { context, resolved, uses, key, stages, served, warnings, failure } = story
  return JSON.stringify({
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
}
