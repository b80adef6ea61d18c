import { detectContext } from '../../contract/detect-context.ts'
import type { OutputFormat } from '../../contract/formats/output-format.ts'
import { exitStatus, type FailureKind } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { CallOutcome, TokenOrigin } from '../../runtime/outcome/call-outcome.ts'
import { version } from '../../version.ts'
import type { ServedToken } from '../mint/cached-call.ts'
import { type CallRecord, findLateStage } from './call-record.ts'

/** What operations are told of a call. */
export function toOutcome(
  record: CallRecord,
  { program, host, status }: { program: string; host: Pick<Host, 'env' | 'streams' | 'clock'>; status: number },
): CallOutcome {
  const { resolved, served, sourceKind, mintMs, failure } = record
  const { env, streams, clock } = host
  const origin = failure === undefined && served ? origins[served] : undefined
  return {
    time: Math.round(clock.startedAt),
    ...{ helper: program, version },
    context: detectContext(env, streams.attached),
    format: (resolved?.get('format')?.value ?? 'json') as OutputFormat, // the option's kind is these words
    outcome: toWord(status),
    status,
    ms: Math.round(clock.elapsedMs()),
    origin,
    source: sourceKind,
    mintMs: mintMs === undefined ? undefined : Math.round(mintMs),
    late: findLateStage(record),
  }
}

const origins: Readonly<Record<ServedToken['origin'], TokenOrigin>> = {
  cache: 'cache',
  mint: 'mint',
  'cache, because the source cannot be reached': 'kept',
}

/** The status says how the run ended, whatever failed on the way. */
function toWord(status: number): CallOutcome['outcome'] {
  const kinds = Object.entries(exitStatus) as [FailureKind, number][] // the table's own
  return kinds.find(([, own]) => own === status)?.[0] ?? 'success'
}
