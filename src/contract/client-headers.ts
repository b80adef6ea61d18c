import { vendor } from '../vendor.ts'
import { type AllowableHeader, findProblemBy, findProblemsBy, type HeaderRules, isReservedBy } from './headers.ts'

/** The headers of the client's own protocol. */
export const clientHeaders: readonly string[] = [vendor.versionHeader, vendor.betaHeader]

/** The rules of the vendor's client; see {@link HeaderRules}. */
export function toHeaderRules(allowed?: AllowableHeader): HeaderRules {
  return { allowed, own: clientHeaders }
}

/** Whether only the client may set this header. */
export function isReservedHeader(name: string, allowed?: AllowableHeader): boolean {
  return isReservedBy(toHeaderRules(allowed), name)
}

/** What is wrong with one header; `undefined` for a valid one. The text does not contain the value. */
export function findHeaderProblem(name: string, value: string, allowed?: AllowableHeader): string | undefined {
  return findProblemBy(toHeaderRules(allowed), name, value)
}

/** What is wrong with a set of headers and with each of them. Empty when a client would send them all. */
export function findHeaderProblems(
  headers: Iterable<readonly [name: string, value: string]>,
  allowed?: AllowableHeader,
): string[] {
  return findProblemsBy(toHeaderRules(allowed), headers)
}
