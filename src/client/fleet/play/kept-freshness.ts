import { computeRenewedFrom, computeServableUntil } from '../../../contract/timing/freshness.ts'
import { isKeptServed, isRenewedEarly, isTooSoon, type ServingRun } from '../../../contract/timing/served-token.ts'
import type { FleetPlay } from './fleet-play.ts'

/** Whether the token on the disk may be served to the run that is under way. */
export function isKeptFresh(play: FleetPlay, now: number): boolean {
  const { kept } = play.desktop
  return isKeptServed(kept, toRun(play, now), computeServableUntil(kept.expiresAt, play.choice.ttlSec))
}

/** Whether it is renewed early all the same. */
export function isRenewalDue(play: FleetPlay, now: number): boolean {
  const { kept } = play.desktop
  const { ttlSec, renewEarly } = play.choice
  const servableUntil = computeServableUntil(kept.expiresAt, ttlSec)
  const renewedFrom = computeRenewedFrom(kept.minted, servableUntil, renewEarly, kept.fraction)
  return isRenewedEarly(kept, toRun(play, now), renewedFrom) && !isTooSoon(kept.triedAt, now)
}

function toRun({ desktop: { activity } }: FleetPlay, now: number): ServingRun {
  return { context: activity.context, now, startedAt: activity.runStartedAt }
}
