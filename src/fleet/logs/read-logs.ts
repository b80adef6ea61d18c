import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { logName } from '../../outcomes/destinations/log-event.ts'
import { findUtf16Encoding } from '../../runtime/text/decode-text.ts'
import { type LogFile, standardInput, toReason } from './collect-logs.ts'
import { type LogRecord, otherRecord, parseLogLine, parseMessage } from './parse-log-line.ts'
import { iterateRecords, type RawRecord } from './split-records.ts'

/** Reads one log to its end, however long it is. */
export async function readLog({ path }: LogFile, reader: LogReader): Promise<LogState> {
  const state: LogState = { records: 0, unreadable: 0, line: undefined, reason: undefined }
  const text = path === standardInput ? streamText(reader.readInput()) : openLog(path)
  try {
    let hasText = false
    for await (const batch of iterateRecords(text)) {
      hasText = true
      for (const raw of batch) addRecord(raw, reader, state)
      reader.onPiece()
    }
    if (hasText && state.records === state.unreadable) state.reason = unknownKind
  } catch (error) {
    state.reason = toReason(error)
  }
  return state
}

/** The receiver of a log's records. */
interface LogReader {
  readInput(): AsyncIterable<Uint8Array>
  /** @param text The text that identifies the record. */
  take(record: ReadRecord, text: string): void
  /** Called between two pieces of a log. */
  onPiece(): void
}

/** A readable record; unreadable ones are only counted. */
export type ReadRecord = Exclude<LogRecord, { readonly kind: 'unreadable' }>

/** The progress of reading a log. */
interface LogState {
  /** The number of records so far. */
  records: number
  /** The number of unreadable records. */
  unreadable: number
  /** The line of the first of these. */
  line: number | undefined
  /** Why the file was not read completely. */
  reason: string | undefined
}

/** The reason for a file without a record of any known log. */
export const unknownKind = 'it is not a known kind of log'

/** Opens a log and yields its text in pieces. It unpacks gzip, and decodes every encoding that Windows writes. */
function openLog(path: string): AsyncIterable<string> {
  return streamText(createReadStream(path, { highWaterMark }))
}

/** The bytes of one read: with smaller reads, waiting takes longer than processing. */
const highWaterMark = 256 * 1024

function addRecord({ line, text }: RawRecord, reader: LogReader, state: LogState): void {
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

/**
 * Parses one `Event` of `wevtutil qe Application /f:xml`. Two regular expressions are sufficient, because the two elements contain only
 * text; an XML parser would take long for millions of events of other programs.
 */
function parseWindowsEvent(text: string): LogRecord {
  const computer = /<Computer>([^<]*)<\/Computer>/.exec(text)?.[1]
  const records = [...text.matchAll(/<Data(?:\s[^<>]*)?>([^<]*)<\/Data>/g)].map(([, data = '']) =>
    parseMessage(decodeXml(data), computer && toCopy(decodeXml(computer))),
  )
  const find = (...kinds: LogRecord['kind'][]) => records.find(({ kind }) => kinds.includes(kind))
  return find('call', 'lost') ?? find('unreadable') ?? otherRecord
}

function decodeXml(text: string): string {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** Copies a name, because a substring keeps the whole text in memory, and the name of a machine is kept until the end. */
function toCopy(text: string): string {
  return Buffer.from(text).toString()
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/**
 * Parses a line of a syslog text file (in the format of RFC 3164, the same with times of RFC 3339, or RFC 5424), or of `journalctl` in
 * the forms `short` and `short-iso`, which look alike. The time of the call is in its message.
 * @returns `undefined` for a line of another form.
 */
function parseSyslogLine(text: string): LogRecord | undefined {
  const { host, rest } = form.exec(text)?.groups ?? {}
  if (rest === undefined) return betweenRecords.test(text) ? otherRecord : undefined
  return ownTag.test(rest) ? parseMessage(rest, host === nilValue ? undefined : host) : otherRecord
}

/** A time with the month in English, whatever the language of the machine (RFC 3164, section 4.1.2). */
const traditionalTime = String.raw`[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?`
/** A time of RFC 3339; `journalctl` writes the offset without a colon. */
const isoTime = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)`
const priority = String.raw`(?:<\d{1,3}>)?`

/**
 * A priority and the version of RFC 5424, if present, the time, the host, and the rest, which differs between formats. If the host is
 * missing, the tag with its colon is in its place.
 */
const form = new RegExp(
  `^${priority}(?:${traditionalTime}|(?:1 )?${isoTime}) (?<host>\\S{0,254}[^\\s:]) (?<rest>.*)$`,
  's',
)

/** The tag of our records: `gatepass: …` and `gatepass[123]: …`, in RFC 5424 `gatepass 123 …`. */
const ownTag = new RegExp(`^${logName}(?:\\[\\d{1,10}\\])?:? `)

/** The lines of `journalctl` between records: boots, and the further lines of a message. */
const betweenRecords = /^(?:-- .* --\s*$| {20})/

/** The value for a missing host (RFC 5424, section 6.2.4). */
const nilValue = '-'

/** Yields the text of bytes from another source, such as standard input. */
export async function* streamText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const source = await readHead(bytes)
  if (source.head[0] !== 0x1f || source.head[1] !== 0x8b) return yield* iterateText(source.head, source.all)
  const gunzip = createGunzip({ chunkSize: highWaterMark })
  pipeline(Readable.from(source.all), gunzip, () => {}) // reading the stream throws the same error
  const unpacked = await readHead(gunzip)
  yield* iterateText(unpacked.head, unpacked.all)
}

/** Reads the first bytes, which identify the kind of file, and gives a stream of all bytes. */
async function readHead(bytes: AsyncIterable<Uint8Array>) {
  const chunks = bytes[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  while (head.length < 4) {
    const { done, value } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  async function* iterateAll() {
    if (head.length > 0) yield head
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return { head, all: iterateAll() }
}

/** Yields the text of UTF-16, which PowerShell writes when it redirects, or of UTF-8, whose invalid bytes become U+FFFD. */
async function* iterateText(head: Uint8Array, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder(findUtf16Encoding(head) ?? 'utf-8')
  for await (const piece of bytes) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}
