// Says by the times of a cached token whether it is served or renewed; `contract/freshness.ts` has the rule of the contract.

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

/** The facts about a run that decide whether it may be served a cached entry. Times are milliseconds since the epoch. */
export interface FreshnessCriteria {
  readonly context: HelperContext
  readonly now: number
  /** When this process started, which is when the client asked. */
  readonly startedAt: number
  readonly bootedAt: number | undefined
  readonly clientTtlSec: number
  /** Entries minted before this time are not served. */
  readonly notBefore: number | undefined
}

/** Returns whether a cached token lives long enough for the client's ttl, so that no new one is minted. */
export function isFresh(entry: TokenEntry, criteria: FreshnessCriteria): boolean {
  const servableUntil = computeServableUntil(computeEarliestExpiry(entry), criteria.clientTtlSec)
  return isCredible(entry, criteria) && isKeptServed(entry, criteria, servableUntil)
}

/**
 * Returns whether a fresh token is renewed before it has to be, because the option `renew-early` asks for it. A token minted during this
 * run never is.
 */
export function isRenewalDue(entry: TokenEntry, criteria: FreshnessCriteria, renewEarly: number): boolean {
  return isRenewedEarly(entry, criteria, computeRenewalTimes(entry, { ...criteria, renewEarly }).renewedFrom)
}

/**
 * Computes until when a cached entry may be served (`servableUntil`), and from when on a call that is served it also tries to renew it
 * (`renewedFrom`). Both are milliseconds since the epoch.
 */
export function computeRenewalTimes(
  entry: Pick<TokenEntry, 'minted' | 'expiresAt' | 'clockOffsetMs' | 'earlyFraction'>,
  { clientTtlSec, renewEarly }: { readonly clientTtlSec: number; readonly renewEarly: number },
): { readonly servableUntil: number; readonly renewedFrom: number } {
  const servableUntil = computeServableUntil(computeEarliestExpiry(entry), clientTtlSec)
  const renewedFrom = computeRenewedFrom(entry.minted, servableUntil, renewEarly, entry.earlyFraction ?? 0)
  return { servableUntil, renewedFrom }
}

/** Returns whether a token has not expired, so that it may be served while the source is unreachable. */
export function isUnexpired(entry: TokenEntry, criteria: FreshnessCriteria): boolean {
  return isCredible(entry, criteria) && computeEarliestExpiry(entry) > criteria.now
}

/** Returns whether the entry's times can be trusted: the mint is not in the future, and the clock was not set back since. */
function isCredible(entry: TokenEntry, { now, startedAt, bootedAt, notBefore }: FreshnessCriteria): boolean {
  if (entry.minted > now) return false
  // A token that was minted while this run waited is new, even if `not-before` is in the future.
  if (notBefore !== undefined && entry.minted < notBefore && entry.minted <= startedAt) return false
  return bootedAt === undefined || entry.bootedAt === undefined || bootedAt >= entry.bootedAt - toleratedStepMs
}
