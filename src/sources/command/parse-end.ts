/** When a token ends, as a program says it: in milliseconds since the epoch, or in seconds from when it was given. */
export type PrintedEnd = { readonly atMs: number } | { readonly inSec: number }

/** From here on a number is no longer a time from now, in seconds: no token lives 31 years. */
const shortestMoment = 1e9

/** From here on a number is milliseconds since the epoch: in seconds it would be the year 33658. */
const shortestMs = 1e12

/**
 * Reads a date with its zone (RFC 3339), seconds or milliseconds since the epoch, or seconds from now; numbers may be texts.
 * `none` for null, an empty text, and the first year, by which programs say that there is no end.
 * `unclear` for everything else, such as a date without its zone.
 */
export function parseEnd(value: unknown): PrintedEnd | 'none' | 'unclear' {
  if (value === undefined || value === null || value === '') return 'none'
  const number = typeof value === 'string' && /^\d{1,16}(?:\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof number === 'number') return parseNumber(number)
  return typeof value === 'string' ? parseDate(value) : 'unclear'
}

function parseNumber(number: number): PrintedEnd | 'unclear' {
  if (!Number.isFinite(number) || number < 0 || number > 8.64e15) return 'unclear'
  if (number < shortestMoment) return { inSec: number }
  return { atMs: number < shortestMs ? number * 1000 : number }
}

function parseDate(text: string): PrintedEnd | 'none' | 'unclear' {
  const [, day, time, zone] =
    /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d+)?) ?([Zz]|[+-]\d\d:?\d\d)$/.exec(text) ?? []
  if (day === undefined || time === undefined || zone === undefined) return 'unclear'
  const atMs = Date.parse(`${day}T${time.replace(/(\.\d{3})\d+$/, '$1')}${zone.toUpperCase()}`)
  if (Number.isNaN(atMs)) return 'unclear'
  return day.startsWith('0001-') ? 'none' : { atMs }
}
