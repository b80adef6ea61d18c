import { parseObject } from '../../runtime/parse-object.ts'

/** The one JSON object that a text is; a text that says what is wrong otherwise. */
export function parseJsonOutput(text: string): Readonly<Record<string, unknown>> | string {
  if (text === '') return 'stdout is empty although the exit status is 0'
  return parseObject(text) ?? 'stdout is not one JSON object and nothing else'
}

/** Text with at least one character. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** A moment as RFC 3339 has it, in epoch milliseconds; `undefined` for anything else. */
export function parseMoment(value: unknown): number | undefined {
  const isMoment = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  const at = isMoment ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
