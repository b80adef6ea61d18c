import { escapeNonAscii } from '../../runtime/text/escape.ts'

/** Renders a value of a token for a sentence: short, in printable ASCII, so that it fits a log line and a header; pure. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return quoteText(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

function quoteText(text: string): string {
  if (text.length <= longest && /^[ !#-[\]-~]*$/.test(text)) return `"${text}"` // the usual case: nothing to escape
  const start = escapeNonAscii(JSON.stringify(text.slice(0, longest)))
  return text.length > longest ? `${start}...` : start
}

const longest = 100

/** Describes a moment in UTC, to the second. */
export function describeTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -'.000Z'.length)}Z`
}
