import { type Headers, isPrintable } from '../contract/headers.ts'
import { apiLimits, isBetaFeature } from '../contract/http-api.ts'
import { HelperError } from '../runtime/failure.ts'
import { vendor } from '../vendor.ts'

/** Returns a value of a permitted length. @throws {HelperError} `usage` that names the field and never its value. */
export function requireLength(field: Exclude<keyof typeof fieldBounds, 'limit'>, value: string): string {
  const { least, most } = fieldBounds[field]
  if (value.length >= least && value.length <= most) return value
  throw reject(field, `is ${value.length} characters long`, `give it ${least} to ${most} characters`)
}

/** Bounds on a field, both included. */
interface Bounds {
  readonly least: number
  readonly most: number
}

/** The bounds of table "Limits" that can be checked before sending; lengths in UTF-16 code units. */
const fieldBounds = {
  limit: { least: 1, most: apiLimits.pageSize },
  file_id: { least: 1, most: apiLimits.fileIdLength },
  mount_path: { least: 1, most: apiLimits.mountPathLength },
  authorization_token: { least: 1, most: apiLimits.authorizationTokenLength },
} as const satisfies Record<string, Bounds>

/** Returns a permitted size of a page. @throws {HelperError} `usage` */
export function requireLimit(limit: number): number {
  const { least, most } = fieldBounds.limit
  if (Number.isInteger(limit) && limit >= least && limit <= most) return limit
  throw reject('limit', `is ${limit}`, `give a whole number from ${least} to ${most}, or none for all at once`)
}

/**
 * Encodes an identifier as one segment of a path. `.` and `..` would change the path (RFC 3986, section 5.2.4).
 * @throws {HelperError} `usage` for these and for an empty one.
 */
export function encodePathPart(field: string, value: string): string {
  if (!/^\.{0,2}$/.test(value)) return encodeURIComponent(value)
  throw reject(field, 'is not an identifier', 'copy it from the list that it comes from')
}

/**
 * Refuses header values with other characters than visible ASCII and spaces: those are refused on the way, and a line break would add
 * another header (RFC 9110, section 5.5).
 * @throws {HelperError} `usage` that names the header and never its value.
 */
export function refuseUnsendable(headers: Headers): void {
  const bad = Object.entries(headers).find(([, value]) => !isPrintable(value))
  if (bad) throw reject(bad[0], 'has a character that no header can carry', 'copy its value again, without line breaks')
}

/**
 * Refuses beta features that the API does not know, also of a caller in JavaScript, which the type does not check.
 * @throws {HelperError} `usage`
 */
export function refuseUnknownFeatures(names: readonly string[]): void {
  if (names.every(isBetaFeature)) return
  throw reject(vendor.betaHeader, 'names a feature that does not exist', 'take it from table "Versioning" of the API')
}

function reject(field: string, what: string, hint: string): HelperError {
  return new HelperError('usage', `${field} ${what}`, hint)
}
