import { isRecord, type RawObject } from '../../../../runtime/json/json-value.ts'
import { type LogRecord, otherRecord, type RecordOwner, unreadableRecord } from './logged-call.ts'
import { hasCallCount, parseCountRecord } from './parse-count-record.ts'
import { toLoggedCall } from './to-logged-call.ts'

/**
 * One line: an outcome, a count of calls or a line of `--log-file`, or a record of a container that holds one, of systemd's journal
 * (`journalctl -o json`) or of macOS' unified log (`log show --style ndjson`).
 */
export function parseLogLine(text: string): LogRecord {
  const value = parseJson(text)
  if (value === undefined) return unreadableRecord
  if ('MESSAGE' in value || '__CURSOR' in value) return parseMessage(toText(value.MESSAGE), value._HOSTNAME)
  if ('eventMessage' in value) return parseMessage(toText(value.eventMessage), undefined)
  if ('finished' in value && 'count' in value) return otherRecord // the last line of `log show`
  const owner: RecordOwner = { machine: undefined, unique: 'program' in value ? 'anywhere' : 'on its machine' }
  return (hasCallCount(text) && parseCountRecord(text, owner)) || toRecord(value, owner)
}

/** A message of a container: the outcome is the one JSON object in it, whatever stands before. */
export function parseMessage(message: string, machine: unknown): LogRecord {
  const begin = message.indexOf('{')
  const owner: RecordOwner = { machine: toMachine(machine), unique: 'anywhere' }
  if (begin >= 0 && hasCallCount(message)) {
    const count = parseCountRecord(message.slice(begin), owner)
    if (count) return count
  }
  const isOfCall = message.includes('"outcome"', begin) || message.includes('"program"', begin)
  if (begin < 0 || !isOfCall) return otherRecord
  const value = parseJson(message.slice(begin, message.lastIndexOf('}') + 1))
  if (value === undefined) return unreadableRecord
  return 'helper' in value || 'program' in value ? toRecord(value, owner) : otherRecord
}

function toRecord(value: RawObject, owner: RecordOwner): LogRecord {
  const call = toLoggedCall(value)
  return call ? { kind: 'call', call, ...owner } : unreadableRecord
}

/** The journal writes bytes that are no text as a list of numbers, and `null` for what is too long. */
function toText(message: unknown): string {
  if (typeof message === 'string') return message
  const isBytes = Array.isArray(message) && message.every((byte) => typeof byte === 'number')
  return isBytes ? Buffer.from(message).toString() : ''
}

/** A name of the domain name system has 253 characters at most. */
const longestName = 253

function toMachine(name: unknown): string | undefined {
  return typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, longestName) : undefined
}

/** Unlike `parseObject` it copies nothing: there are millions of lines. */
function parseJson(text: string): RawObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined // its message would repeat the text
  }
}
