/** Renders seconds for a person: `45 s`, `20 min`, `1 h 5 min`; from two days on, in days. */
export function renderDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}

/** Renders milliseconds for a person: `340 ms`, `1.2 s`, `20 s`, then as {@link renderDuration} does. */
export function renderMs(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_500) return `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))} s`
  return renderDuration(Math.round(ms / 1000))
}

/** Describes a moment with its distance from now, such as `2026-01-15T12:00:00.000Z, in 4 min`. Both are epoch milliseconds. */
export function describeMoment(at: number, now: number): string {
  if (toDate(at) === undefined) return renderDate(at)
  const distance = renderDuration(Math.floor(Math.abs(at - now) / 1000))
  return `${renderDate(at)}, ${at >= now ? `in ${distance}` : `${distance} ago`}`
}

/** Renders a moment, in epoch milliseconds or as a text that `Date` can parse, such as `2026-01-15T12:00:00.000Z`. */
export function renderDate(moment: number | string): string {
  return toDate(moment)?.toISOString() ?? 'an unknown time'
}

/** Converts a moment, in epoch milliseconds or as a text, to its date; `undefined` beyond the range of `Date`, and for a text that is no date. */
export function toDate(moment: number | string): Date | undefined {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/**
 * The last second of the year 9999, the largest year with four digits, since the epoch. A larger number of seconds is probably one of
 * milliseconds.
 */
export const latestSec = 253_402_300_799

/** Parses a date and time with its zone, such as `2026-01-15T12:00:00Z` (ISO 8601); `undefined` for any other value. */
export function parseMoment(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(value)) return undefined
  return toDate(value)
}

/** Units of a duration by their letters, in seconds, the longest first. */
export const unitSec = { d: 86_400, h: 3600, m: 60, s: 1 } as const

/** Describes the problem of a text that is not a duration. */
export function describeInvalidDuration(text: string): string {
  return `${JSON.stringify(text)} is not a duration; write 30s, 5m, 8h, 1h30m or 2d`
}

/** Parses a duration such as `90s`, `5m`, `8h`, `1h30m` or `2d` to seconds; `undefined` for any other text and for zero. */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d{1,3})d)?(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,7})s)?$/.exec(text)
  if (!match) return undefined
  const units = Object.values(unitSec)
  const seconds = match.slice(1).reduce((sum, part, index) => sum + Number(part ?? 0) * (units[index] ?? 0), 0)
  return seconds > 0 ? seconds : undefined
}
