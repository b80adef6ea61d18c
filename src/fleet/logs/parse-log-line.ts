import { type CallOutcome, tokenOrigins } from '../../outcomes/call-outcome.ts'
import { parseCallCount } from '../../outcomes/destinations/log-event.ts'
import { mintStage, type StageKind, stageKinds } from '../../runtime/deadline.ts'
import { exitStatus, type FailureKind } from '../../runtime/failure.ts'
import { latestSec } from '../../runtime/values/duration.ts'
import { isObject, parseObject, type RawObject } from '../../runtime/values/json-value.ts'
import { parseServedAnswer, type ServedAnswer } from './served-answers.ts'

/** The facts of one call, or of several that the system's log only counts: the part of an outcome that every kind of log contains. */
export interface LoggedCall extends Pick<CallOutcome, 'time' | 'helper' | 'version' | 'origin' | 'mintMs'> {
  /** The number of calls: 1, except for a count of calls from the cache. */
  readonly count: number
  /** `undefined` for a count of calls. */
  readonly ms: number | undefined
  readonly outcome: 'success' | FailureKind
  /** The word of the release that wrote the record, which may be newer than this release. */
  readonly context: string
  readonly source: string | undefined
  /** The stage for which a call with the outcome `late` waited; `undefined` for a word that is unknown to this release. */
  readonly late: StageKind | undefined
}

/** One record of a log, by its kind. */
export type LogRecord =
  | (RecordOwner & { readonly kind: 'call'; readonly call: LoggedCall })
  /** Calls of which only the number is known. */
  | (RecordOwner & { readonly kind: 'lost'; readonly time: number; readonly count: number })
  /** An answer of a configuration server, or a step of a device sign-in. */
  | (RecordOwner & { readonly kind: 'served'; readonly answer: ServedAnswer })
  /** A record of another program, or one that is not a call. */
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable' }

/** The result for every record without a call; it has no facts of its own. */
export const otherRecord: LogRecord = { kind: 'other' }

const unreadableRecord: LogRecord = { kind: 'unreadable' }

/**
 * Parses one line: an outcome, a count of calls or a line of `--log-file`; or a record with one of these from systemd's journal
 * (`journalctl -o json`) or macOS' unified log (`log show --style ndjson`).
 */
export function parseLogLine(text: string): LogRecord {
  const value = parseObject(text)
  if (value === undefined) return unreadableRecord
  if ('MESSAGE' in value || '__CURSOR' in value) return parseMessage(toText(value.MESSAGE), value._HOSTNAME)
  if ('eventMessage' in value) return parseMessage(toText(value.eventMessage), undefined)
  if ('finished' in value && 'count' in value) return otherRecord // the last line of `log show`
  const owner: RecordOwner = { machine: undefined, unique: 'program' in value ? 'anywhere' : 'on its machine' }
  return (hasCallCount(text) && parseCountRecord(text, owner)) || toRecord(value, owner)
}

interface RecordOwner {
  /** The name of the machine in the record. */
  readonly machine: string | undefined
  /** Whether the text of the record is unique among all records, or among those of its machine. */
  readonly unique: 'anywhere' | 'on its machine'
}

/** Returns whether a text may be a count of calls, which system logs contain; this test is cheaper than parsing. */
function hasCallCount(text: string): boolean {
  return text.includes('"cached"') || text.includes('"lost"')
}

/** Parses a count of calls to a record; `undefined` for any other text. */
function parseCountRecord(text: string, owner: RecordOwner): LogRecord | undefined {
  const count = parseCallCount(text)
  if (count === undefined || !isMoment(count.time)) return undefined
  if ('lost' in count) return { kind: 'lost', time: count.time, count: count.lost, ...owner }
  const { time, helper, version, cached } = count
  if (!isWord(helper) || !isWord(version)) return undefined
  const call: LoggedCall = {
    time,
    helper,
    version,
    count: cached,
    ms: undefined,
    outcome: 'success',
    context: 'unknown',
    origin: 'cache',
    source: undefined,
    mintMs: undefined,
    late: undefined,
  }
  return { kind: 'call', call, ...owner }
}

/** Parses the message of a record: the outcome is the only JSON object in it, whatever text is before it. */
export function parseMessage(message: string, machine: unknown): LogRecord {
  const begin = message.indexOf('{')
  const owner: RecordOwner = { machine: toMachine(machine), unique: 'anywhere' }
  if (begin >= 0 && hasCallCount(message)) {
    const count = parseCountRecord(message.slice(begin), owner)
    if (count) return count
  }
  const isOfCall = ['"outcome"', '"program"', '"bootstrap"'].some((word) => message.includes(word, begin))
  if (begin < 0 || !isOfCall) return otherRecord
  const value = parseObject(message.slice(begin, message.lastIndexOf('}') + 1))
  if (value === undefined) return unreadableRecord
  return ['helper', 'program', 'bootstrap'].some((key) => key in value) ? toRecord(value, owner) : otherRecord
}

function toRecord(value: RawObject, owner: RecordOwner): LogRecord {
  const answer = 'bootstrap' in value ? parseServedAnswer(value) : undefined
  if (answer) return { kind: 'served', answer, machine: owner.machine, unique: 'anywhere' }
  const call = toLoggedCall(value)
  return call ? { kind: 'call', call, ...owner } : unreadableRecord
}

/** Converts a message to text: the journal writes bytes that are not text as a list of numbers, and `null` for a message that is too long. */
function toText(message: unknown): string {
  if (typeof message === 'string') return message
  const isBytes = Array.isArray(message) && message.every((byte) => typeof byte === 'number')
  return isBytes ? Buffer.from(message).toString() : ''
}

/** The longest name in the domain name system (RFC 1035, section 2.3.4: 255 octets with their lengths). */
const longestName = 253

function toMachine(name: unknown): string | undefined {
  return typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, longestName) : undefined
}

/**
 * Converts an outcome, or a line of `--log-file`, to a call of the report. It also reads logs of earlier and later releases, so it ignores
 * unknown members; `undefined` for anything that is not a call.
 */
function toLoggedCall(value: RawObject): LoggedCall | undefined {
  const isLogLine = typeof value.program === 'string'
  const { time, helper, version, ms, outcome, context, origin, source, mintMs, late } = isLogLine
    ? toOutcome(value)
    : value
  if (!isMoment(time) || !isDuration(ms) || !isWord(helper) || !isWord(version) || !isOutcome(outcome)) return undefined
  return {
    time,
    helper,
    version,
    ms,
    outcome,
    count: 1,
    context: isWord(context) ? context : 'unknown',
    origin: tokenOrigins.find((known) => known === origin),
    source: isWord(source) ? source : undefined,
    mintMs: isDuration(mintMs) ? mintMs : undefined,
    late: stageKinds.find((known) => known === late),
  }
}

/**
 * Converts a line that `src/helper/record/call-record.ts` writes to the members of an outcome. Its texts for people contain names of files,
 * hosts and profiles, and are not read.
 */
function toOutcome({ time, program, status, served, stages, failure, ...same }: RawObject): RawObject {
  return {
    ...same,
    time: typeof time === 'string' ? Date.parse(time) : undefined,
    helper: program,
    outcome: status === 0 ? 'success' : isObject(failure) ? failure.kind : undefined,
    origin: toOrigin(served),
    mintMs: findMintMs(stages),
  }
}

function toOrigin(served: unknown): CallOutcome['origin'] {
  if (served === 'cache' || served === 'mint') return served
  return typeof served === 'string' ? 'kept' : undefined
}

function findMintMs(stages: unknown): unknown {
  return Array.isArray(stages) ? stages.find((stage) => stage?.stage === mintStage)?.ms : undefined
}

/** Returns whether a value is a time in milliseconds since the epoch. */
function isMoment(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < (latestSec + 1) * 1000
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

/** Returns whether a value can be a name, a version or a word of a closed set. Logs may contain anything, which may be longer. */
function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.+-]{1,64}$/.test(value)
}

const outcomes: readonly unknown[] = ['success', ...Object.keys(exitStatus)]

function isOutcome(value: unknown): value is 'success' | FailureKind {
  return outcomes.includes(value)
}
