import { earlyRenewal } from '../../../contract/timing/early-renewal.ts'
import { computeRenewedFrom, computeServableUntil, newForMs } from '../../../contract/timing/freshness.ts'
import type { KeptToken } from '../desktop/kept-token.ts'
import type { FleetPlay } from './fleet-play.ts'

/** Whether the token on the disk may be served to the run that is under way. */
export function isKeptFresh({ desktop: { kept, activity }, choice }: FleetPlay, now: number): boolean {
  const isNew = isOfNow(kept, now) && kept.expiresAt > now
  if (activity.context === 'mid-session-refresh') return isNew && kept.context === activity.context
  return isNew || now <= computeServableUntil(kept.expiresAt, choice.ttlSec)
}

/** Whether it is renewed early all the same. */
export function isRenewalDue({ desktop: { kept }, choice }: FleetPlay, now: number): boolean {
  if (isOfNow(kept, now) || now - kept.triedAt < earlyRenewal.pauseMs) return false
  const servableUntil = computeServableUntil(kept.expiresAt, choice.ttlSec)
  return now > computeRenewedFrom(kept.minted, servableUntil, choice.renewEarly, kept.fraction)
}

function isOfNow({ minted }: KeptToken, now: number): boolean {
  return now - minted <= newForMs
}
