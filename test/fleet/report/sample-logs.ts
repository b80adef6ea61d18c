import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { standardInput } from '../../../src/fleet/logs/collect-logs.ts'
import type { FleetSummary, InputSummary } from '../../../src/fleet/logs/fleet-summary.ts'
import { addCall, createFleetTotals, maxMachines } from '../../../src/fleet/logs/fleet-totals.ts'
import { type LogRecord, parseLogLine } from '../../../src/fleet/logs/parse-log-line.ts'
import { readLog } from '../../../src/fleet/logs/read-logs.ts'
import { toFleetSummary } from '../../../src/fleet/logs/to-fleet-summary.ts'
import type { CallOutcome } from '../../../src/outcomes/call-outcome.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** Nine in the morning of a Monday. */
export const nine = Date.parse('2026-03-02T09:00:00Z')

/** Returns a cached call at nine, with the given changes. */
export function outcomeOf(members: Partial<CallOutcome> = {}): CallOutcome {
  return {
    time: nine,
    helper: 'aws-bedrock-token',
    version: '0.2.0',
    context: 'interactive',
    format: 'json',
    outcome: 'success',
    status: 0,
    ms: 33,
    origin: 'cache',
    ...members,
  }
}

/** Returns a call that found no server. */
export function failureOf(members: Partial<CallOutcome> = {}): CallOutcome {
  return outcomeOf({ outcome: 'unavailable', status: 6, ms: 900, origin: undefined, ...members })
}

/** Returns the report on these calls, with the given facts about the files that were read. */
export function summarize(
  calls: readonly (readonly [machine: string, outcome: CallOutcome])[],
  { input = {}, most = maxMachines }: { input?: Partial<InputSummary>; most?: number } = {},
): FleetSummary {
  const totals = createFleetTotals(most)
  for (const [machine, outcome] of calls) {
    const record = parseLogLine(JSON.stringify(outcome))
    if (record.kind === 'call') addCall(totals, machine, record.call)
  }
  return toFleetSummary(totals, {
    files: 1,
    calls: calls.length,
    repeated: 0,
    repeats: 'found',
    leftOut: 0,
    unnamed: totals.unnamed,
    lost: 0,
    other: 0,
    unreadable: 0,
    troubles: [],
    ...input,
  })
}

/** Returns the lines of a helper's log file, as `src/helper/record/call-record.ts` writes them. */
export function toLogLine({ time, helper, outcome, origin, mintMs, ...call }: CallOutcome, process = 1): string {
  const served = origin === 'kept' ? 'cache, because the source cannot be reached' : origin
  const stages = mintMs === undefined ? [] : [{ stage: 'getting a token', ms: mintMs }]
  const failure = outcome === 'success' ? undefined : { kind: outcome, message: 'canary message', hint: 'canary hint' }
  const facts = { options: ['profile = canary'], uses: ['canary'], entry: 'aa', stages, served, warnings: ['canary'] }
  return JSON.stringify({ time: new Date(time).toISOString(), program: helper, process, ...facts, failure, ...call })
}

/** Returns a record in the form of `journalctl -o json`. */
export function toJournal(machine: string, message: string, cursor: string): string {
  const own = { __CURSOR: cursor, __REALTIME_TIMESTAMP: '1772442000000000', SYSLOG_IDENTIFIER: 'gatepass' }
  return JSON.stringify({ ...own, _HOSTNAME: machine, MESSAGE: message })
}

/** Returns a record in the form of `log show --style ndjson`. */
export function toUnifiedLog(message: string, traceId: number): string {
  return JSON.stringify({ traceID: traceId, eventMessage: message, eventType: 'logEvent', subsystem: 'gatepass' })
}

/** Returns a record in the form of `wevtutil qe Application /f:xml`. */
export function toWindowsEvent(machine: string, text: string, recordId: number): string {
  const data = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  return `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Gatepass'/><EventRecordID>${recordId}</EventRecordID><Computer>${machine}</Computer></System><EventData><Data>${data}</Data></EventData></Event>`
}

/** Reads a log of one record from standard input. */
export async function readRecord(text: string): Promise<LogRecord> {
  let record: LogRecord = { kind: 'unreadable' }
  await readLog(
    { path: standardInput, below: undefined },
    {
      readInput: () => Readable.from([Buffer.from(text)]),
      take: (taken) => {
        record = taken
      },
      onPiece: () => {},
    },
  )
  return record
}

/** Writes a directory with these files. */
export async function writeLogs(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const directory = await temporaryDirectory()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), content)
  }
  return directory
}
