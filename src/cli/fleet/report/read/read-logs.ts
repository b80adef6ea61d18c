import { type LogFile, standardInput, toReason } from './list-logs.ts'
import type { LogRecord } from './logged-call.ts'
import { openLog, streamText } from './open-log.ts'
import { parseLogLine } from './parse-log-line.ts'
import { parseSyslogLine } from './parse-syslog-line.ts'
import { parseWindowsEvent } from './parse-windows-event.ts'
import type { RawRecord } from './raw-record.ts'
import { iterateRecords } from './split-records.ts'

/** A record that could be read. */
export type ReadRecord = Exclude<LogRecord, { readonly kind: 'unreadable' }>

/** What is given the records of a log. */
export interface LogReader {
  readInput(): AsyncIterable<Uint8Array>
  /** @param text Tells the record from every other one. */
  take(record: ReadRecord, text: string): void
  /** Called between the pieces of a log. */
  onPiece(): void
}

/** The reason for a file in which nothing looks like a record of any log. */
export const unknownKind = 'it is no log of a kind that is known'

/** How far the reading of a log came. */
export interface LogState {
  /** How many records it has. */
  records: number
  /** How many of them could not be read. */
  unreadable: number
  /** The line in which the first of those begins. */
  line: number | undefined
  /** Why the file was not read, or not to its end. */
  reason: string | undefined
}

/** Reads one log to its end, however long it is. */
export async function readLog({ path }: LogFile, reader: LogReader): Promise<LogState> {
  const state: LogState = { records: 0, unreadable: 0, line: undefined, reason: undefined }
  const text = path === standardInput ? streamText(reader.readInput()) : openLog(path)
  try {
    let hasText = false
    for await (const batch of iterateRecords(text)) {
      hasText = true
      for (const raw of batch) takeRecord(raw, reader, state)
      reader.onPiece()
    }
    if (hasText && state.records === state.unreadable) state.reason = unknownKind
  } catch (error) {
    state.reason = toReason(error)
  }
  return state
}

function takeRecord({ line, text }: RawRecord, reader: LogReader, state: LogState): void {
  state.records += 1
  const record = text === undefined ? undefined : parseRecord(text)
  if (text !== undefined && record !== undefined && record.kind !== 'unreadable') reader.take(record, text)
  else {
    state.unreadable += 1
    state.line ??= line
  }
}

function parseRecord(text: string): LogRecord {
  if (text.startsWith('<Event')) return parseWindowsEvent(text)
  return parseSyslogLine(text) ?? parseLogLine(text)
}
