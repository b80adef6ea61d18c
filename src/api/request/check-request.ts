import type { Headers } from '../../contract/headers.ts'
import { apiLimits, isBetaFeature } from '../../contract/http-api.ts'
import { HelperError } from '../../runtime/failure.ts'
import { vendor } from '../../vendor.ts'

/** Bounds on a field, both included. */
export interface Bounds {
  readonly least: number
  readonly most: number
}

/** Every bound of table "Limits" that can be checked before sending. */
export const fieldBounds = {
  limit: { least: 1, most: apiLimits.pageSize },
  file_id: { least: 1, most: apiLimits.fileIdLength },
  mount_path: { least: 1, most: apiLimits.mountPathLength },
  authorization_token: { least: 1, most: apiLimits.authorizationTokenLength },
} as const satisfies Record<string, Bounds>

/** @throws {HelperError} `usage` that names the field and never its value. */
export function demandLength(field: Exclude<keyof typeof fieldBounds, 'limit'>, value: string): string {
  const { least, most } = fieldBounds[field]
  if (value.length >= least && value.length <= most) return value
  throw refuse(field, `is ${value.length} characters long`, `give it ${least} to ${most} characters`)
}

/** @throws {HelperError} `usage` */
export function demandLimit(limit: number): number {
  const { least, most } = fieldBounds.limit
  if (Number.isInteger(limit) && limit >= least && limit <= most) return limit
  throw refuse('limit', `is ${limit}`, `give a whole number from ${least} to ${most}, or none for all at once`)
}

/**
 * A part of a path. A dot alone, or two, would lead to another path.
 * @throws {HelperError} `usage`
 */
export function demandPathPart(field: string, value: string): string {
  if (!/^\.{0,2}$/.test(value)) return encodeURIComponent(value)
  throw refuse(field, 'is no identifier', 'copy it from the list that it comes from')
}

/**
 * Headers that HTTP can carry, of visible ASCII and spaces: anything else would be refused on the way, or be another line.
 * @throws {HelperError} `usage` that names the header and never its value.
 */
export function demandSendable(headers: Headers): void {
  const bad = Object.entries(headers).find(([, value]) => !/^[\x20-\x7e]*$/.test(value))
  if (bad) throw refuse(bad[0], 'has a character that no header can carry', 'copy its value again, without line breaks')
}

/**
 * Beta features that the API knows; the type says so too, which no caller in JavaScript hears.
 * @throws {HelperError} `usage`
 */
export function demandBetaFeatures(names: readonly string[]): void {
  if (names.every(isBetaFeature)) return
  throw refuse(vendor.betaHeader, 'names a feature that does not exist', 'take it from table "Versioning" of the API')
}

function refuse(field: string, what: string, hint: string): HelperError {
  return new HelperError('usage', `${field} ${what}`, hint)
}
