import { HelperError } from '../../runtime/failure.ts'
import { quoteName } from '../store/workspaces.ts'

const daySec = 86_400

/** The expirations that the console offers, in seconds. */
export const expirationPresets = { '3h': 3 * 3600, '1d': daySec, '7d': 7 * daySec, '30d': 30 * daySec } as const

/** A key's life in seconds, or `never` for a key that does not expire. */
export type Expiration = number | 'never'

/** Reads a preset, another duration (`90m`, `36h`, `45d`) or `never`. @throws {HelperError} `usage` */
export function parseExpiration(text: string): Expiration {
  if (text === 'never') return text
  const [, count, unit] = /^([1-9]\d{0,4})(m|h|d)$/.exec(text) ?? []
  if (count === undefined)
    throw new HelperError(
      'usage',
      `${quoteName(text)} is not an expiration`,
      `write ${Object.keys(expirationPresets).join(', ')}, never, or a duration such as 90m, 36h or 45d`,
    )
  return Number(count) * unitSec[unit as keyof typeof unitSec] // the pattern permits no other unit
}

const unitSec = { m: 60, h: 3600, d: daySec } as const

/**
 * When a key that is created now expires, in epoch milliseconds; `null` for never.
 * @throws {HelperError} `refused` for a longer life than the organization permits for new keys.
 */
export function computeExpiry(expiration: Expiration, now: number, maximumSec: number | undefined): number | null {
  if (maximumSec !== undefined && (expiration === 'never' || expiration > maximumSec))
    throw new HelperError(
      'refused',
      `the organization allows keys of at most ${maximumSec} s`,
      'choose a shorter expiration, or raise the maximum; see: gatepass gateway keys maximum --help',
    )
  return expiration === 'never' ? null : now + expiration * 1000
}
