import { type LogRecord, otherRecord } from './logged-call.ts'
import { parseMessage } from './parse-log-line.ts'

/**
 * One `Event` of `wevtutil qe Application /f:xml`. Only two of its elements are read, and both hold text alone, so that no XML
 * parser goes over millions of events of other programs.
 */
export function parseWindowsEvent(text: string): LogRecord {
  const computer = /<Computer>([^<]*)<\/Computer>/.exec(text)?.[1]
  const records = [...text.matchAll(/<Data(?:\s[^<>]*)?>([^<]*)<\/Data>/g)].map(([, data = '']) =>
    parseMessage(unescapeXml(data), computer && copy(unescapeXml(computer))),
  )
  const find = (...kinds: LogRecord['kind'][]) => records.find(({ kind }) => kinds.includes(kind))
  return find('call', 'lost') ?? find('unreadable') ?? otherRecord
}

/** The name alone: a part of a text keeps the whole text in memory, and a machine's name is kept until the end. */
function copy(text: string): string {
  return Buffer.from(text).toString()
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
