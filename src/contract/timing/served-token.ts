import type { HelperContext } from '../context.ts'
import { clientDefaults } from '../limits.ts'
import { computeCallSec } from './call-time.ts'
import { newForMs } from './freshness.ts'

/** When a kept token was minted and ends, in milliseconds since any moment, and for which context it was minted. */
export interface MintedTimes {
  readonly minted: number
  readonly expiresAt: number
  readonly context: HelperContext
}

/** A run that would serve it. */
export interface ServingRun {
  readonly context: HelperContext
  readonly now: number
  /** When the client asked. */
  readonly startedAt: number
}

/**
 * Whether a kept token may be served instead of a new one. In `mid-session-refresh` the client's token was refused, and the
 * kept one may be that token: only one that was minted for the same refresh is served.
 * @param servableUntil The last moment for a token that is not new.
 */
export function isKeptServed(kept: MintedTimes, run: ServingRun, servableUntil: number): boolean {
  if (kept.minted > run.startedAt) return kept.expiresAt > run.now
  const isNew = isOfNow(kept, run) && kept.expiresAt > run.now
  if (run.context === 'mid-session-refresh') return isNew && kept.context === run.context
  return isNew || run.now <= servableUntil
}

/** Whether a token that may be served is renewed early all the same; a new one never is. */
export function isRenewedEarly(kept: Pick<MintedTimes, 'minted'>, run: ServingRun, renewedFrom: number): boolean {
  return !isOfNow(kept, run) && run.now > renewedFrom
}

/** Whether an early renewal is not tried, because one came to nothing moments ago. */
export function isTooSoon(triedAt: number, now: number): boolean {
  return triedAt <= now && now - triedAt < earlyRenewal.pauseMs
}

/** How an early renewal differs from another mint: the call can do without it. Our decisions. */
export const earlyRenewal = {
  /** How long a call waits for it, in seconds, as for a sign-in to AWS SSO. */
  patienceSec: 5,
  /** The same for what would be lost if it were given up, such as the answer to a refresh token: as in a call of the default length. */
  longestSec: computeCallSec('unknown', clientDefaults.timeoutSec),
  /** In milliseconds: one that came to nothing is not tried again before. */
  pauseMs: 300_000,
} as const

/** Whether a token was minted while a run waited, or moments before it began. */
function isOfNow({ minted }: Pick<MintedTimes, 'minted'>, { startedAt }: ServingRun): boolean {
  return startedAt - minted <= newForMs
}
