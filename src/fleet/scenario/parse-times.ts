import { describeInvalidDuration, parseDuration } from '../../runtime/values/duration.ts'
import { daySec } from '../fleet-result.ts'
import { type Invalid, isInvalid, rejectValue } from './parse-mapping.ts'

/** A time of day in a zone, such as `09:00 Europe/Berlin`. */
export interface Moment {
  /** Seconds after midnight in that zone. */
  readonly sec: number
  /** A name of the IANA time zone database, or an offset such as `+05:30`; absent if none is written. */
  readonly zone?: string | undefined
}

/** Working hours, such as `09:00-17:30 Europe/Berlin`. */
export interface Hours {
  readonly begin: Moment
  readonly forSec: number
}

/** A span of time, such as `12:30 for 45m`; each desktop has its own beginning around the stated one. */
export interface Span {
  readonly at: Moment
  readonly forSec: number
  readonly spreadSec: number
}

/** Parses `09:00`, or `09:00 Europe/Berlin`. */
export function parseMoment(text: string): Moment | Invalid {
  const [time = '', named, ...others] = text.trim().split(/\s+/)
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time)
  if (!match || others.length > 0)
    return rejectValue(`${JSON.stringify(text)} is not a time of day; write 09:00, 09:00 Europe/Berlin or 09:00 +05:30`)
  if (named !== undefined && !isZone(named))
    return rejectValue(`${JSON.stringify(named)} is not a time zone; write UTC, Europe/Berlin or +05:30`)
  return { sec: Number(match[1]) * 3600 + Number(match[2]) * 60, zone: named }
}

/** Parses `09:00-17:30`, with or without a zone after it; a night shift ends on the next day. */
export function parseHours(text: string): Hours | Invalid {
  const [, from = '', until = '', zone = ''] = /^(\S+?)\s*-\s*([\d:]+)(\s.*)?$/.exec(text.trim()) ?? []
  if (until === '')
    return rejectValue(`${JSON.stringify(text)} is not a span of hours; write 09:00-17:30 Europe/Berlin`)
  const [begin, end] = [parseMoment(`${from}${zone}`), parseMoment(`${until}${zone}`)]
  if (isInvalid(begin)) return begin
  if (isInvalid(end)) return end
  return { begin, forSec: (end.sec - begin.sec + daySec) % daySec || daySec }
}

/** Parses `12:30 for 45m`, or `12:30 for 45m spread 30m`, with or without a zone after the time. */
export function parseSpan(text: string): Span | Invalid {
  const [, moment, length = '', spread] = /^(.+?) for (\S+)(?: spread (\S+))?$/.exec(text.trim()) ?? []
  if (moment === undefined) return rejectValue(`${JSON.stringify(text)} has no length; write 12:30 for 45m`)
  const at = parseMoment(moment)
  if (isInvalid(at)) return at
  const forSec = parseDurationSec(length)
  if (isInvalid(forSec)) return forSec
  const spreadSec = spread === undefined ? 0 : parseDurationSec(spread)
  return isInvalid(spreadSec) ? spreadSec : { at, forSec, spreadSec }
}

/** Parses a duration such as `5m` to seconds. */
export function parseDurationSec(text: string): number | Invalid {
  return parseDuration(text) ?? rejectValue(describeInvalidDuration(text))
}

/** The longest ttl, and the longest life of a token, that one simulated day can show. */
const maxDays = 100

/** Parses `900` or `15m` to seconds. */
export function parseSeconds(text: string): number | Invalid {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (parseDuration(text) ?? 0)
  return seconds >= 1 && seconds <= maxDays * daySec
    ? seconds
    : rejectValue(`${JSON.stringify(text)} is not a time of 1 s to ${maxDays} d; write 900, 90s, 15m, 8h or 2d`)
}

/**
 * Converts a time on a date, such as `2026-01-14`, to seconds after midnight UTC.
 * @param elsewhere The zone of a time that names none.
 */
export function toUtcSec({ sec, zone: named }: Moment, date: string, elsewhere = 'UTC'): number {
  const zone = named ?? elsewhere
  const there = Date.parse(`${date}T00:00:00Z`) + sec * 1000
  // The first result uses the offset near that time; the offset at that result decides, because it may differ on a day when clocks change.
  const near = there - computeOffsetMs(zone, there)
  const at = (there - computeOffsetMs(zone, near)) / 1000
  return ((at % daySec) + daySec) % daySec
}

/** Computes how many milliseconds a zone is ahead of UTC at a moment. */
function computeOffsetMs(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false // RangeError for an unknown zone
  }
}
