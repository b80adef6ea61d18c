import { escapeControls } from '../../runtime/escape-controls.ts'
import { toOneLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { version } from '../../version.ts'
import { describeOptions } from '../options/describe.ts'
import { type CallRecord, findLateStage } from './call-record.ts'

/** A record as one line of JSON. */
export function renderCallRecord(
  record: CallRecord,
  { program, clock, process, status }: { program: string; clock: Host['clock']; process: number; status: number },
): string {
  const { context, second, failure } = record
  const line = JSON.stringify({
    time: new Date(clock.startedAt).toISOString(),
    program,
    version,
    process,
    context,
    ...toFacts(record),
    second: second && { program: second.program, ...toFacts(second.record) },
    late: findLateStage(record),
    failure: failure && { kind: failure.kind, message: failure.message, hint: failure.hint },
    status,
    ms: Math.round(clock.elapsedMs()),
  })
  return escapeControls(line) // people read the log on a terminal, too
}

/** What a log tells of each helper that took part in a call. */
function toFacts({ resolved, uses, key, stages, sourceKind, served, unrenewed, warnings }: CallRecord) {
  return {
    options: resolved && describeOptions(resolved).map(toOneLine),
    uses,
    source: sourceKind,
    entry: key,
    stages: stages.map(([stage, ms]) => ({ stage, ms: Math.round(ms) })),
    served,
    unrenewed: unrenewed && { kind: unrenewed.kind, message: unrenewed.message },
    warnings,
  }
}
