import type { HelperContext } from '../../contract/context.ts'
import {
  computeEarliestExpiry,
  computeRenewedFrom,
  computeServableUntil,
  isKeptServed,
  isRenewedEarly,
  toleratedStepMs,
} from '../../contract/freshness.ts'
import type { TokenEntry } from './entry.ts'

/** The facts about a run that decide whether it may be served an entry. Times are milliseconds since the epoch. */
export interface FreshnessCriteria {
  readonly context: HelperContext
  readonly now: number
  /** When this process started, which is when the client asked. */
  readonly startedAt: number
  readonly bootedAt: number | undefined
  readonly clientTtlSec: number
  /** Earlier entries do not count. */
  readonly notBefore: number | undefined
}

/** Whether a cached token may be served instead of a new one. */
export function isFresh(entry: TokenEntry, criteria: FreshnessCriteria): boolean {
  const servableUntil = computeServableUntil(computeEarliestExpiry(entry), criteria.clientTtlSec)
  return isCredible(entry, criteria) && isKeptServed(entry, criteria, servableUntil)
}

/** Whether a fresh token is renewed all the same, because this machine renews early; a new one never is. */
export function isRenewalDue(entry: TokenEntry, criteria: FreshnessCriteria, renewEarly: number): boolean {
  return isRenewedEarly(entry, criteria, computeRenewalTimes(entry, { ...criteria, renewEarly }).renewedFrom)
}

/** The last moment at which an entry may be served that is not new, and the last one at which it is served without being renewed. */
export function computeRenewalTimes(
  entry: Pick<TokenEntry, 'minted' | 'expiresAt' | 'clockOffsetMs' | 'earlyFraction'>,
  { clientTtlSec, renewEarly }: { readonly clientTtlSec: number; readonly renewEarly: number },
): { readonly servableUntil: number; readonly renewedFrom: number } {
  const servableUntil = computeServableUntil(computeEarliestExpiry(entry), clientTtlSec)
  const renewedFrom = computeRenewedFrom(entry.minted, servableUntil, renewEarly, entry.earlyFraction ?? 0)
  return { servableUntil, renewedFrom }
}

/** Whether a token is valid, so that it can be served while the source cannot be reached. */
export function isUnexpired(entry: TokenEntry, criteria: FreshnessCriteria): boolean {
  return isCredible(entry, criteria) && computeEarliestExpiry(entry) > criteria.now
}

/** Whether the times of an entry can be used: not if it is from the future, or from before the clock was set back. */
function isCredible(entry: TokenEntry, { now, startedAt, bootedAt, notBefore }: FreshnessCriteria): boolean {
  if (entry.minted > now) return false
  // A token that was minted while this run waited is new, even if `not-before` is in the future.
  if (notBefore !== undefined && entry.minted < notBefore && entry.minted <= startedAt) return false
  return bootedAt === undefined || entry.bootedAt === undefined || bootedAt >= entry.bootedAt - toleratedStepMs
}
