import { type Command, InvalidArgumentError } from 'commander'
import { collectLogs, createMachineNames, type LogFile } from '../fleet/logs/collect-logs.ts'
import type { DurationFacts, FleetSummary, InputSummary, InputTrouble } from '../fleet/logs/fleet-summary.ts'
import { addCall, createFleetTotals, type FleetTotals, maxMachines } from '../fleet/logs/fleet-totals.ts'
import type { LoggedCall } from '../fleet/logs/parse-log-line.ts'
import { type ReadRecord, readLog } from '../fleet/logs/read-logs.ts'
import { createSeenRecords } from '../fleet/logs/seen-records.ts'
import {
  addServedAnswer,
  createServedTotals,
  type ServedTotals,
  summarizeServed,
} from '../fleet/logs/served-answers.ts'
import { durationSteps } from '../fleet/logs/summarize-durations.ts'
import { toFleetSummary } from '../fleet/logs/to-fleet-summary.ts'
import { renderReportPage } from '../fleet/report/render-report-page.ts'
import { renderSummary } from '../fleet/report/render-summary.ts'
import { renderTroubles } from '../fleet/report/report-words.ts'
import { exitStatus, HelperError, outcomeStatus } from '../runtime/failure.ts'
import { renderCount } from '../runtime/text/counted.ts'
import { parseDuration } from '../runtime/values/duration.ts'
import { renderJson } from '../runtime/values/json-value.ts'
import { programName } from '../version.ts'
import type { Cli, ProgramCommand } from './cli.ts'
import { writePage } from './config/write-answer.ts'
import type { Terminal } from './terminal.ts'

/** `gatepass fleet …`: all machines together. */
export const fleetCommand: ProgramCommand = {
  add: addFleet,
  examples: {
    fleet: ['gatepass fleet report logs', 'gatepass fleet report logs --since 12h --html fleet.html'],
    'fleet report': [
      'gatepass fleet report logs --since 12h --html fleet.html',
      'gatepass fleet report calls.log --json',
      'journalctl -o json --since today | gatepass fleet report -',
    ],
  },
}

function addFleet(program: Command, cli: Cli): void {
  const fleet = program.command('fleet').description('say what collected logs tell about all machines')
  addFleetReport(fleet, cli)
}

/** Adds `gatepass fleet report`: a report about all machines from their collected logs. */
function addFleetReport(fleet: Command, cli: Cli): void {
  const moment = (text: string) => parseMoment(text, cli.host.clock.now())
  fleet
    .command('report')
    .description('count the calls of collected logs: failures by cause and machine, lateness, versions')
    .argument('<logs...>', 'files, directories, or - for standard input')
    .option(
      '--since <moment>',
      'calls from then on: 2026-03-02, 2026-03-02T09:00Z, or 12h for twelve hours ago',
      moment,
    )
    .option('--until <moment>', 'calls before then', moment)
    .option('--helper <name>', 'calls of this helper')
    .option('--html <file>', 'write the report as one page with charts, which needs no network')
    .option('--json', 'print one JSON document, with every machine that failed')
    .addHelpText('after', `\n${helpText}`)
    .action(async (paths: readonly string[], flags: ReportFlags) => report(cli, paths, flags))
}

const helpText = `A log is what --log-file writes, lines of outcomes, or a system's log that holds them: a text file of syslog, or what these print: journalctl -o json, log show --style ndjson, wevtutil qe Application /f:xml. The audit of ${programName} bootstrap serve says who runs which configuration. Each may be compressed by gzip. The machine is the one that a record names, otherwise the name of the file, or of its folder.

Exit status: ${outcomeStatus.done}, whatever failed in the logs; ${outcomeStatus.usage} if a file cannot be read, after the report of the others.`

/**
 * Parses a time, or a duration before now: `2026-03-02`, `2026-03-02T09:00Z`, `12h`. Without a time zone a time is in UTC, like the report.
 */
function parseMoment(text: string, now: number): number {
  const agoSec = parseDuration(text)
  if (agoSec !== undefined) return now - agoSec * 1000
  const match = /^\d{4}-\d\d-\d\d(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?<zone>Z|[+-]\d\d:\d\d)?)?$/.exec(
    text,
  )
  const { time, zone } = match?.groups ?? {}
  const day = text.slice(0, 10)
  const at = match && isDay(day) ? Date.parse(`${day}T${time ?? '00:00'}${zone ?? 'Z'}`) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw new InvalidArgumentError(
    'expected a moment, such as 2026-03-02 or 2026-03-02T09:00Z, or how long ago, such as 12h.',
  )
}

async function report(cli: Cli, paths: readonly string[], flags: ReportFlags): Promise<void> {
  const summary = await collectSummary(cli, paths, flags)
  const { troubles } = summary.input
  cli.terminal.tell(renderTroubles(troubles))
  cli.setExitStatus(troubles.some(({ reason }) => reason !== undefined) ? exitStatus.usage : outcomeStatus.done)
  if (flags.json) cli.terminal.print(renderSummaryDocument(summary))
  else cli.terminal.print(renderSummary(summary, cli.terminal.paint))
  if (flags.html !== undefined) await writePage(cli.terminal, flags.html, renderReportPage(summary), 'The page')
}

async function collectSummary(
  { host, terminal, helpers }: Cli,
  paths: readonly string[],
  flags: ReportFlags,
): Promise<FleetSummary> {
  const { since = 0, until = Number.POSITIVE_INFINITY, helper } = flags
  if (since >= until)
    throw new HelperError('usage', '--since is not before --until', 'name an earlier moment with --since')
  const isWatched = host.streams.attached() === 'terminal'
  const { totals, served, input } = await countCalls({
    paths,
    helpers: new Set(helpers.keys()),
    // The helper of a lost call is unknown.
    isWanted: (call) =>
      call.time >= since && call.time < until && (helper === undefined || (call.helper ?? helper) === helper),
    readInput: terminal.readInput,
    onProgress: isWatched ? createProgressLine(terminal) : () => {},
  })
  if (isWatched) terminal.tellProgress()
  const summary = toFleetSummary(totals, input)
  const configuration = summarizeServed(served)
  return configuration ? { ...summary, served: configuration } : summary
}

/** The logs to count, and a filter for calls. */
interface Collection {
  /** The files and directories of logs to read. */
  readonly paths: readonly string[]
  /** The names of helpers, so that a log file with such a name is not taken for that of a machine. */
  readonly helpers: ReadonlySet<string>
  isWanted(call: Pick<LoggedCall, 'time'> & Partial<Pick<LoggedCall, 'helper'>>): boolean
  readInput(): AsyncIterable<Uint8Array>
  onProgress(progress: Progress): void
}

interface Progress {
  /** The number of the present file, from 1. */
  readonly file: number
  readonly files: number
  readonly calls: number
}

/** Counts the calls of all logs, one file after the other. */
async function countCalls(
  collection: Collection,
): Promise<{ totals: FleetTotals; served: ServedTotals; input: InputSummary }> {
  const { files, unreadable } = await collectLogs(collection.paths)
  const counter = createCounter(collection)
  const troubles: InputTrouble[] = unreadable.map((file) => ({ ...file, records: 0, line: undefined }))
  const nameMachine = createMachineNames(files, collection.helpers)
  for (const [index, file] of files.entries()) {
    const onPiece = () => collection.onProgress({ file: index + 1, files: files.length, calls: counter.counts.calls })
    troubles.push(...(await readCounted(file, nameMachine(file), counter, { ...collection, onPiece })))
  }
  const { totals, served, counts, seen } = counter
  const lost = troubles.reduce((sum, { records }) => sum + records, 0)
  return {
    totals,
    served,
    input: {
      files: files.length,
      ...counts,
      unnamed: totals.unnamed,
      unreadable: lost,
      repeats: seen.isFull() ? 'not all found' : 'found',
      troubles,
    },
  }
}

function createCounter({ isWanted }: Collection) {
  const totals = createFleetTotals(maxMachines)
  const served = createServedTotals()
  const seen = createSeenRecords(maxSeenSlots)
  const counts = { calls: 0, repeated: 0, leftOut: 0, lost: 0, other: 0 }
  const take = (record: ReadRecord, text: string, fileMachine: string) => {
    if (record.kind === 'other') {
      counts.other += 1
      return
    }
    const machine = record.machine ?? fileMachine
    const isRepeated = seen.add(record.unique === 'anywhere' ? text : `${machine}\n${text}`) === 'seen'
    if (record.kind === 'served') {
      if (!isRepeated && isWanted(record.answer)) addServedAnswer(served, record.answer)
      return
    }
    if (record.kind === 'lost') {
      if (!isRepeated && isWanted(record)) counts.lost += record.count
      return
    }
    const { call } = record
    counts.calls += call.count
    if (isRepeated) counts.repeated += call.count
    else if (isWanted(call)) addCall(totals, machine, call)
    else counts.leftOut += call.count
  }
  return { totals, served, seen, counts, take }
}

/** The flags of `gatepass fleet report`. */
interface ReportFlags {
  readonly since?: number
  readonly until?: number
  readonly helper?: string
  readonly html?: string
  readonly json?: true
}

async function readCounted(
  file: LogFile,
  machine: string,
  counter: Counter,
  { readInput, onPiece }: { readInput: Collection['readInput']; onPiece: () => void },
): Promise<InputTrouble[]> {
  const take = (record: ReadRecord, text: string) => counter.take(record, text, machine)
  const { unreadable, line, reason } = await readLog(file, { readInput, onPiece, take })
  return unreadable > 0 || reason !== undefined ? [{ path: file.path, records: unreadable, line, reason }] : []
}

type Counter = ReturnType<typeof createCounter>

/** Slots of 8 bytes: 256 MiB. */
const maxSeenSlots = 2 ** 25

/** `Date` would read 30 February as 2 March. */
function isDay(text: string): boolean {
  return new Date(Date.parse(`${text}T00:00Z`)).getUTCDate() === Number(text.slice(8))
}

/** More frequent updates would be unreadable. */
const pauseMs = 200

/** Shows the progress of reading logs on one line, which is replaced. */
function createProgressLine({ tellProgress }: Pick<Terminal, 'tellProgress'>): (progress: Progress) => void {
  let shownAt = 0
  return ({ file, files, calls }) => {
    if (Date.now() - shownAt < pauseMs) return
    shownAt = Date.now()
    tellProgress(`file ${renderCount(file)} of ${renderCount(files)}, ${renderCount(calls)} calls`)
  }
}

/** Renders the whole summary as one JSON document. Times are texts, durations are milliseconds. */
function renderSummaryDocument(summary: FleetSummary): string {
  const { period, origins, late, sources, failing, behind, moments, served } = summary
  const document = {
    ...summary,
    period: period && { from: toText(period.from), to: toText(period.to) },
    origins: origins.map(withSteps),
    late: late.map(withSteps),
    sources: sources.map(withSteps),
    failing: failing.map(({ lastSuccessAt, lastFailureAt, ...machine }) => ({
      ...machine,
      lastSuccessAt: lastSuccessAt && toText(lastSuccessAt),
      lastFailureAt: toText(lastFailureAt),
    })),
    behind: behind.map(({ seenAt, ...machine }) => ({ ...machine, seenAt: toText(seenAt) })),
    ...(served && { served: toServedDocument(served) }),
    moments: { ...moments, columns: moments.columns.map(({ at, ...column }) => ({ at: toText(at), ...column })) },
  }
  return renderJson(document)
}

function toText(at: number): string {
  return new Date(at).toISOString()
}

/** Omits steps without calls. */
function withSteps<Facts extends DurationFacts>({ steps, ...facts }: Facts) {
  const filled = steps.map((calls, index) => ({ fromMs: durationSteps[index], calls }))
  return { ...facts, steps: filled.filter(({ calls }) => calls > 0) }
}

function toServedDocument({ releases, people, ...counts }: NonNullable<FleetSummary['served']>) {
  const withText = <Row extends { readonly seenAt: number }>({ seenAt, ...row }: Row) => ({
    ...row,
    seenAt: toText(seenAt),
  })
  return { ...counts, releases: releases.map(withText), people: people.map(withText) }
}
