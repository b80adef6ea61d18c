import { vendor } from '../vendor.ts'
import {
  type AllowableHeader,
  type HeaderRules,
  isReservedBy,
  validateHeaderBy,
  validateHeaderSetBy,
} from './headers.ts'

/** Returns the rules of the vendor's client; see {@link HeaderRules}. */
export function toHeaderRules(allowed?: AllowableHeader): HeaderRules {
  return { allowed, protocolHeaders: [vendor.versionHeader, vendor.betaHeader] }
}

/** Returns whether only the client may set this header; the vendor's client, see {@link toHeaderRules}. */
export function isReservedHeader(name: string, allowed?: AllowableHeader): boolean {
  return isReservedBy(toHeaderRules(allowed), name)
}

/** Finds the problem of one header; `undefined` for a valid one. The text does not contain the value. */
export function validateHeader(name: string, value: string): string | undefined {
  return validateHeaderBy(toHeaderRules(), name, value)
}

/** Finds the problems of a set of headers, and of each header. Empty if a client would send all of them. */
export function validateHeaderSet(
  headers: Iterable<readonly [name: string, value: string]>,
  allowed?: AllowableHeader,
): string[] {
  return validateHeaderSetBy(toHeaderRules(allowed), headers)
}
