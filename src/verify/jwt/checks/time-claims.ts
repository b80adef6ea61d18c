/** A claim that is a time (RFC 7519, section 2, NumericDate), in epoch milliseconds; `wrong` for what is no time. */
export type TimeClaim = number | 'absent' | 'wrong'

/** The end of the year 9999, which dates as text can still name. More is a number of milliseconds, or a trick. */
const latestSec = 253_402_300_799

/** Reads a time from claims; pure. */
export function toTimeClaim(claims: Readonly<Record<string, unknown>>, name: 'exp' | 'nbf' | 'iat'): TimeClaim {
  if (!Object.hasOwn(claims, name)) return 'absent'
  const value = claims[name]
  return typeof value === 'number' && value >= 0 && value <= latestSec ? value * 1000 : 'wrong'
}
