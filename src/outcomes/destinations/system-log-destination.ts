import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Clock, Deadline } from '../../runtime/deadline.ts'
import { HelperError } from '../../runtime/failure.ts'
import { createPointers, type Foreign, locateWindowsLibraries } from '../../runtime/foreign-functions.ts'
import { systemLogger } from '../../runtime/host.ts'
import { type CallOutcome, renderOutcome } from '../call-outcome.ts'
import type { OutcomeBatch, OutcomeDestination } from '../destination.ts'
import { outcomeFields } from '../outcome-fields.ts'
import {
  type CallCount,
  type EventKind,
  type EventLevel,
  eventFacts,
  type LogEvent,
  logName,
  renderCallCount,
} from './log-event.ts'

/** The locations on Linux and macOS. */
export const systemLocations: LogLocations = {
  logger: systemLogger,
  journalSocket: '/run/systemd/journal/socket',
  syslogSocket: '/dev/log',
}

/** Creates the destination for the log of this system: the journal or else syslog, macOS' unified log, Windows' Event Log. */
export function createSystemLogDestination(
  platform: NodeJS.Platform,
  clock: Pick<Clock, 'now'>,
  locations: LogLocations,
): OutcomeDestination {
  return {
    name: 'log',
    split: splitBatch,
    send: (batch, within) => writeEvents(platform, locations, toLogEvents(batch, clock.now()), within),
  }
}

/** The locations of a system's logs. */
interface LogLocations {
  readonly logger: string
  readonly journalSocket: string
  readonly syslogSocket: string
}

/** The most events in one part. Each event is a run of `logger`, of a few milliseconds. Our decision. */
const maxAtOnce = 50

/**
 * Splits a batch: first the calls with an event of their own, in parts; then all counted calls in one part, so that they become one event.
 */
function splitBatch({ outcomes, lost, resource }: OutcomeBatch): OutcomeBatch[] {
  const counted = outcomes.filter((outcome) => toEventKind(outcome) === 'cached')
  const single = outcomes.filter((outcome) => toEventKind(outcome) !== 'cached')
  const parts: OutcomeBatch[] = []
  for (let begin = 0; begin < single.length; begin += maxAtOnce)
    parts.push({ outcomes: single.slice(begin, begin + maxAtOnce), lost: 0, resource })
  return counted.length + lost === 0 ? parts : [...parts, { outcomes: counted, lost, resource }]
}

/**
 * Converts a batch to events: one for each call that failed or asked its source, in their order, and then counts of the others, because a
 * desktop makes dozens of calls a day.
 * @param now The time of events without a time of their own.
 */
export function toLogEvents({ outcomes, lost }: OutcomeBatch, now: number): LogEvent[] {
  const told = outcomes.map((outcome) => ({ kind: toEventKind(outcome), outcome }))
  const single = told
    .filter(({ kind }) => kind !== 'cached')
    .map(({ kind, outcome }) => ({ kind, text: renderOutcome(outcome), outcome }))
  const cached = told.filter(({ kind }) => kind === 'cached').map(({ outcome }) => outcome)
  const counts = countCached(cached).map((count) => ({ kind: 'cached' as const, text: renderCallCount(count) }))
  const missing = lost > 0 ? [{ kind: 'lost' as const, text: renderCallCount({ time: now, lost }) }] : []
  return [...single, ...counts, ...missing]
}

/** Chooses the event of a call; `cached` calls have no event of their own, and are counted. */
function toEventKind({ outcome, origin }: CallOutcome): EventKind {
  if (outcome !== 'success') return outcome
  return origin === 'mint' || origin === 'kept' ? origin : 'cached'
}

/** Counts the outcomes that were served from the cache, for each helper and version. */
function countCached(outcomes: readonly CallOutcome[]): CallCount[] {
  const groups = Map.groupBy(outcomes, ({ helper, version }) => `${helper} ${version}`)
  return [...groups.values()].map((group) => {
    const { helper, version } = group[0]! // a group is never empty
    return { time: Math.max(...group.map(({ time }) => time)), helper, version, cached: group.length }
  })
}

async function writeEvents(
  platform: NodeJS.Platform,
  { logger, journalSocket, syslogSocket }: LogLocations,
  events: readonly LogEvent[],
  within: Deadline,
): Promise<void> {
  if (platform === 'win32') {
    const ffi = await importForeign()
    return writeToEventLog(events, ffi, locateWindowsLibraries(ffi).advapi32)
  }
  if (platform === 'darwin') return writeToSyslog(logger, events, within)
  if (existsSync(journalSocket)) return writeToJournal(logger, events, within)
  // If the socket is missing, `logger` succeeds without writing anything.
  if (existsSync(syslogSocket)) return writeToSyslog(logger, events, within)
  const message = `there is no system log here: neither ${journalSocket} nor ${syslogSocket}`
  throw new HelperError('unavailable', message, 'start the system log, or set another destination')
}

/**
 * Writes events to the log `Application` of Windows, to which every user may write. The calls block this process until a service of this
 * machine answers.
 * @param advapi32 The path of the library.
 * @throws {HelperError} `unavailable`.
 */
export function writeToEventLog(events: readonly LogEvent[], ffi: Foreign, advapi32: string): void {
  const { register, report, deregister } = openEventLog(ffi, advapi32)
  const source = register(logName)
  if (source === 0n) throw fail('RegisterEventSourceW')
  try {
    for (const event of events) if (!report(source, event)) throw fail('ReportEventW')
  } finally {
    deregister(source)
  }
}

/** Node has foreign functions from 26.9 on, and every standalone executable has them. */
async function importForeign(): Promise<Foreign> {
  try {
    return await import('node:ffi')
  } catch (cause) {
    const message = 'this version of Node cannot call the Event Log of Windows'
    throw new HelperError('unavailable', message, 'use the standalone executable', { cause })
  }
}

function openEventLog(ffi: Foreign, advapi32: string) {
  const { functions } = ffi.dlopen(advapi32, {
    RegisterEventSourceW: { arguments: ['pointer', 'pointer'], return: 'u64' },
    ReportEventW: {
      arguments: ['u64', 'u16', 'u16', 'u32', 'pointer', 'u16', 'u32', 'pointer', 'pointer'],
      return: 'i32',
    },
    DeregisterEventSource: { arguments: ['u64'], return: 'i32' },
  })
  const pointTo = createPointers(ffi)
  return {
    register: (name: string): bigint => functions.RegisterEventSourceW(null, encodeWide(name)),
    report: (source: bigint, { kind, text }: LogEvent): boolean => {
      const { level, eventId } = eventFacts[kind]
      const texts = new BigUint64Array([pointTo(encodeWide(text))])
      return functions.ReportEventW(source, types[level], 0, eventId, null, 1, 0, texts, null) !== 0
    },
    deregister: (source: bigint) => functions.DeregisterEventSource(source),
  }
}

/** The event types of `winnt.h`. */
const types: Readonly<Record<EventLevel, number>> = { error: 1, warning: 2, information: 4 }

function fail(call: string): HelperError {
  const message = `the Event Log of Windows accepted no event (${call})`
  return new HelperError('unavailable', message, 'see whether the service runs: sc.exe query eventlog')
}

/** Encodes a text for Windows: UTF-16 with a final zero. */
function encodeWide(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf16le')
}

/** Writes events to syslog (on macOS the unified log): one line for each event, one run of `logger` for each severity. */
async function writeToSyslog(logger: string, events: readonly LogEvent[], within: Deadline): Promise<void> {
  for (const [level, alike] of Map.groupBy(events, ({ kind }) => eventFacts[kind].level)) {
    const args = ['-t', logName, '-p', `user.${severities[level]}`]
    await runLogger({ program: logger, args, input: alike.map(({ text }) => `${text}\n`).join('') }, within)
  }
}

/** Writes events to the journal, with one run of `logger` for each, because it takes only one entry. */
async function writeToJournal(logger: string, events: readonly LogEvent[], within: Deadline): Promise<void> {
  for (const event of events)
    await runLogger({ program: logger, args: ['--journald'], input: renderJournalEntry(event) }, within)
}

/** The severities of syslog (RFC 5424, section 6.2.1). Information is a notice, because some systems do not store anything less severe. */
const priorities: Readonly<Record<EventLevel, number>> = { error: 3, warning: 4, information: 5 }

/**
 * Renders an event as an entry of the systemd journal: a field in each line, in the form of `logger --journald`. No value has a line break,
 * because each is a number or a word of a closed set.
 */
function renderJournalEntry({ kind, text, outcome }: LogEvent): string {
  const { level, messageId } = eventFacts[kind]
  const fields = [
    ['MESSAGE', text],
    ['PRIORITY', priorities[level]],
    ['SYSLOG_IDENTIFIER', logName],
    ['MESSAGE_ID', messageId],
    ...(outcome === undefined ? [] : listFields(outcome)),
  ]
  return fields.map(([name, value]) => `${name}=${value}\n`).join('')
}

function listFields(outcome: CallOutcome): [string, string | number][] {
  return Object.entries(outcomeFields).flatMap(([member, { journalField }]): [string, string | number][] => {
    const value = outcome[member as keyof CallOutcome] // the table has a row for each
    return value === undefined ? [] : [[journalField, value]]
  })
}

/** A run of `logger`, the system's own program. */
interface LoggerRun {
  readonly program: string
  readonly args: readonly string[]
  /** The text for its stdin, because every user can see the arguments of a process. */
  readonly input: string
}

/**
 * Runs `logger` within a deadline, and kills it if it hangs.
 * @throws {HelperError} `unavailable` if it fails or is missing; `late`.
 */
async function runLogger({ program, args, input }: LoggerRun, deadline: Deadline): Promise<void> {
  const end = await deadline.during('program', program, ({ signal }) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], env: {}, signal, killSignal: 'SIGKILL' })
    child.stdin.on('error', () => undefined) // it has ended; its exit status is checked
    child.stdin.end(input)
    return new Promise<string | undefined>((resolve) => {
      child.on('error', ({ code }: NodeJS.ErrnoException) => resolve(`could not be started (${code})`))
      child.on('exit', (status, by) => resolve(status === 0 ? undefined : `ended with ${status ?? by}`))
    })
  })
  if (end !== undefined) throw new HelperError('unavailable', `${program} ${end}`, `see what it says: ${program} test`)
}

/** The priorities of `logger`. Information is a notice, because macOS stores anything less severe in memory only. */
const severities: Readonly<Record<EventLevel, string>> = { error: 'err', warning: 'warning', information: 'notice' }
