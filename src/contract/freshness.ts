// Computes how long a token has to live for the client, and when it is renewed early.

import type { HelperContext } from './context.ts'
import { clientDefaults, midSessionTimeoutSec } from './limits.ts'

/** In milliseconds: a token that was minted at most this long before a run began counts as new, whatever its life. Our decision. */
export const newForMs = 10_000

/** In milliseconds, how much longer than the client's ttl a cached token must live. Our decision. */
export const marginMs = 60_000

/**
 * In milliseconds: no token is made from a sign-in or from credentials with less life left, because it could expire before its use. Our
 * decision.
 */
export const shortestLifeMs = 60_000

/** In milliseconds: recorded times stay valid if a clock was set back by less than this. Our decision. */
export const toleratedStepMs = 60_000

/**
 * Computes when a token has expired by either clock, in milliseconds since the epoch. A clock that was ahead of the source's may have been
 * corrected since, so the earlier expiry is used. A new token needs only one clock.
 */
export function computeEarliestExpiry({
  expiresAt,
  clockOffsetMs,
}: {
  readonly expiresAt: number
  readonly clockOffsetMs: number
}): number {
  return expiresAt + Math.min(0, clockOffsetMs)
}

/**
 * How early machines renew a token at most, in percent of the time in which it is served from the cache. Our decision: with a
 * quarter, tokens of one moment are renewed over a quarter of that time, and a fleet asks its sources 15 % more often.
 */
export const renewEarlyPercent = { default: 25, most: 90 } as const

/**
 * Computes the last moment at which a token that is not new may be served: it then outlives its client's ttl by the margin. For a token
 * with a shorter life, this is before the mint.
 * @param expiresAt In milliseconds since any moment, like the result.
 */
export function computeServableUntil(expiresAt: number, clientTtlSec: number): number {
  return expiresAt - clientTtlSec * 1000 - marginMs
}

/**
 * Computes the last moment at which a token is served before its source is asked for the next one. It is never later than `servableUntil`,
 * and earlier by at most the percentage of the time in which the token may be served. It differs from machine to machine, so that tokens of
 * one moment are not renewed in one moment.
 * @param minted In milliseconds since any moment, like `servableUntil` and the result.
 * @param renewEarlyPercent The setting of the machine; 0 renews every token as late as possible.
 * @param fraction The fraction of this token, from `computeEarlyFraction`.
 */
export function computeRenewedFrom(
  minted: number,
  servableUntil: number,
  renewEarlyPercent: number,
  fraction: number,
): number {
  const servableMs = Math.max(0, servableUntil - minted)
  return servableUntil - (servableMs * renewEarlyPercent * fraction) / 100
}

/**
 * Computes the part of the longest early time by which a token is renewed early, from 0 to 1. With the machine's part alone, machines with
 * scheduled tasks would meet again and again, because their tokens are renewed every six or eight tasks; with the mint's part alone,
 * machines with tokens of many hours would drift apart more slowly. If both are spread evenly, so is the result; their mean would not be.
 * @param ofMachine At least 0, less than 1, and always the same for a machine and key.
 * @param ofMint At least 0, less than 1, and different for each token.
 */
export function computeEarlyFraction(ofMachine: number, ofMint: number): number {
  const sum = ofMachine + ofMint
  return sum < 1 ? sum ** 2 / 2 : 1 - (2 - sum) ** 2 / 2 // the probability that the sum of two such parts is smaller
}

/** How much earlier a run ends than the client would kill it, so that the client logs our message. */
const headStartSec = 2

/**
 * Computes how long the client waits for a run, in seconds; at most {@link midSessionTimeoutSec} in `mid-session-refresh` (client
 * documentation).
 */
export function computeHelperTimeoutSec(
  { timeoutSec = clientDefaults.timeoutSec }: { readonly timeoutSec?: number | undefined },
  context: HelperContext,
): number {
  return context === 'mid-session-refresh' ? Math.min(timeoutSec, midSessionTimeoutSec) : timeoutSec
}

/** Computes the longest that a run of ours may take in a context, in seconds from the start of its process. */
export function computeCallSec(context: HelperContext, clientTimeoutSec: number): number {
  return computeHelperTimeoutSec({ timeoutSec: clientTimeoutSec }, context) - headStartSec
}

/**
 * Returns whether a failed call may serve the last token until it expires, because the source is unreachable or too slow. A refusal always
 * fails the call, and so does `mid-session-refresh`, in which the last token was refused.
 * @param kind The kind of the failure.
 */
export function isLastTokenServed(context: HelperContext, kind: string): boolean {
  return (kind === 'unavailable' || kind === 'late') && context !== 'mid-session-refresh'
}

/** When a kept token was minted and ends, in milliseconds since any moment, and for which context it was minted. */
interface MintedTimes {
  readonly minted: number
  readonly expiresAt: number
  readonly context: HelperContext
}

/** The run that would serve an entry instead of minting. */
export interface ServingRun {
  readonly context: HelperContext
  readonly now: number
  /** When the client started the run. */
  readonly startedAt: number
}

/**
 * Returns whether a kept token may be served instead of a new one. In `mid-session-refresh` the client's token was refused, and the kept
 * one may be that token: only one that was minted for the same refresh is served.
 * @param servableUntil The last moment for a token that is not new.
 */
export function isKeptServed(kept: MintedTimes, run: ServingRun, servableUntil: number): boolean {
  if (kept.minted > run.startedAt) return kept.expiresAt > run.now
  const isNew = isOfNow(kept, run) && kept.expiresAt > run.now
  if (run.context === 'mid-session-refresh') return isNew && kept.context === run.context
  return isNew || run.now <= servableUntil
}

/** Returns whether a token that may still be served is renewed early; a new one never is. */
export function isRenewedEarly(kept: Pick<MintedTimes, 'minted'>, run: ServingRun, renewedFrom: number): boolean {
  return !isOfNow(kept, run) && run.now > renewedFrom
}

/** Returns whether no early renewal is tried, because one failed a moment ago. */
export function isTooSoon(triedAt: number, now: number, pauseMs: number): boolean {
  return triedAt <= now && now - triedAt < pauseMs
}

/**
 * Computes the pause after an early renewal that failed, in milliseconds: as long as the source has asked, within bounds, and spread above
 * that, so that machines that it sent away together do not come back together.
 * @param fraction At least 0, less than 1; belongs to this machine and token.
 */
export function computeEarlyPauseMs(fraction: number, askedMs = 0): number {
  const pauseMs = Math.min(Math.max(askedMs, earlyRenewal.pauseMs), earlyRenewal.longestPauseMs)
  return pauseMs * (1 + fraction / 2)
}

/** The differences of an early renewal from other mints: the call can succeed without it. Our decisions. */
export const earlyRenewal = {
  /** How long a call waits for it, in seconds, as for a sign-in to AWS SSO. */
  patienceSec: 5,
  /**
   * The same for work that would be lost if it were given up, such as the answer to an identity token, or a running program: as in
   * `mid-session-refresh`.
   */
  longestSec: computeCallSec('mid-session-refresh', midSessionTimeoutSec),
  /** In milliseconds, the shortest pause after one that failed. */
  pauseMs: 300_000,
  /** In milliseconds, the longest pause that a source can impose, by mistake or in malice. */
  longestPauseMs: 3_600_000,
} as const

/** Returns whether a token was minted while a run waited, or moments before it began. */
function isOfNow({ minted }: Pick<MintedTimes, 'minted'>, { startedAt }: ServingRun): boolean {
  return startedAt - minted <= newForMs
}
