import { logName } from '../../../../runtime/outcome/system-log/log-name.ts'
import { type LogRecord, otherRecord } from './logged-call.ts'
import { parseMessage } from './parse-log-line.ts'

/** The month in English, whatever the language of the machine (RFC 3164, section 4.1.2). */
const traditionalTime = String.raw`[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?`
/** RFC 3339; `journalctl` writes the offset without a colon. */
const isoTime = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)`
const priority = String.raw`(?:<\d{1,3}>)?`

/** A priority and the version of RFC 5424 where there are any, the time, the host, and what is different in each format. Where the host is missing, the tag with its colon stands there. */
const form = new RegExp(
  `^${priority}(?:${traditionalTime}|(?:1 )?${isoTime}) (?<host>\\S{0,254}[^\\s:]) (?<rest>.*)$`,
  's',
)

/** `gatepass: …` and `gatepass[123]: …`, in RFC 5424 `gatepass 123 …`. */
const ownTag = new RegExp(`^${logName}(?:\\[\\d{1,10}\\])?:? `)

/** What `journalctl` prints between the records: boots, and the further lines of a message, below its beginning. */
const betweenRecords = /^(?:-- .* --\s*$| {20})/

/**
 * A line of a text file of syslog (the format of RFC 3164, the same with times of RFC 3339, or that of RFC 5424), or of the forms
 * `short` and `short-iso` of `journalctl`, which look alike. When the call was is in its message.
 * @returns `undefined` for a line of another form.
 */
export function parseSyslogLine(text: string): LogRecord | undefined {
  const { host, rest } = form.exec(text)?.groups ?? {}
  if (rest === undefined) return betweenRecords.test(text) ? otherRecord : undefined
  return ownTag.test(rest) ? parseMessage(rest, host === nilValue ? undefined : host) : otherRecord
}

/** No host (RFC 5424, section 6.2.4). */
const nilValue = '-'
