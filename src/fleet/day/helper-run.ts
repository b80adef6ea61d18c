import {
  computeEarlyPauseMs,
  computeRenewedFrom,
  computeServableUntil,
  earlyRenewal,
  isKeptServed,
  isLastTokenServed,
  isRenewedEarly,
  isTooSoon,
  type ServingRun,
} from '../../contract/freshness.ts'
import { computeRetryPauseMs, hasAttemptLeft, isPauseInTime } from '../../runtime/network/retry.ts'
import type { FleetResult, MintCause } from '../fleet-result.ts'
import type { Activity } from './activity.ts'
import type { FleetPlay } from './fleet-play.ts'

/** The state of a simulated helper run: it asks the provider at the activity's `requestAt`, or it has ended. */
export type RunState = 'asking' | 'ok' | 'failed'

/** Starts a run: it serves a fresh token from the disk; otherwise it asks the provider at once. */
export function startHelperRun(
  play: FleetPlay,
  context: Activity['context'],
  purpose: Activity['purpose'],
  at: number,
): RunState {
  const { activity } = play.desktop
  activity.context = context
  activity.purpose = purpose
  activity.runStartedAt = at
  activity.attempts = 0
  activity.requestAt = at
  activity.isEarly = false
  if (!isKeptFresh(play, at)) {
    // Whatever the result of the run, the refused token is not served again.
    if (purpose === 'after-refusal') play.desktop.kept.expiresAt = Number.NEGATIVE_INFINITY
    return 'asking'
  }
  return isRenewalDue(play, at) ? startEarlyRenewal(play, at) : endRun(play, 'cache', at)
}

/** Asks the provider once. Without a token, the run tries again or fails. */
export function attemptMint(play: FleetPlay): RunState {
  const { desktop, provider, counts } = play
  const at = desktop.activity.requestAt
  desktop.activity.attempts += 1
  counts.noteMoment(counts.requests, at)
  const answer = provider.ask(at)
  if (answer === 'token') return recordMint(play, at, at + provider.computeLatencyMs(at))
  counts.noteMoment(counts[answer], at)
  return retry(play, answer === 'throttled' ? play.retryAfterMs : undefined, at)
}

function recordMint(play: FleetPlay, at: number, answeredAt: number): RunState {
  const { desktop, counts } = play
  const { kept, activity } = desktop
  const deadline = computeDeadline(play)
  if (answeredAt >= deadline) {
    counts.noteMoment(counts.late, at)
    return fail(play, 'late', deadline)
  }
  const cause = detectCause(play, at)
  counts.noteMoment(counts.mints[cause], at)
  play.observe(desktop.number, at, `mint: ${cause}`)
  kept.minted = answeredAt
  // The life is counted from before the request, because the token cannot have been issued earlier.
  kept.expiresAt = at + play.tokenLifeMs
  kept.context = activity.context
  kept.triedAt = Number.NEGATIVE_INFINITY
  kept.fraction = play.computeFraction(desktop.number)
  return endRun(play, 'mint', answeredAt)
}

/** Computes when the run reaches its deadline, in milliseconds of the simulation. */
function computeDeadline({ desktop: { activity }, callMs }: FleetPlay): number {
  const { runStartedAt, context, isEarly } = activity
  return runStartedAt + Math.min(callMs[context], isEarly ? earlyRenewal.patienceSec * 1000 : Number.POSITIVE_INFINITY)
}

function detectCause({ desktop: { kept, activity } }: FleetPlay, at: number): MintCause {
  if (activity.purpose === 'after-refusal') return 'refusal'
  return kept.expiresAt > at ? 'renewal' : 'first'
}

function retry(play: FleetPlay, saidMs: number | undefined, at: number): RunState {
  const { activity, random } = play.desktop
  if (!hasAttemptLeft(activity.attempts)) return fail(play, 'unavailable', at)
  const longestMs = computeDeadline(play) - at
  const pauseMs = computeRetryPauseMs(saidMs, { attempts: activity.attempts, random: random.next(), longestMs })
  if (!isPauseInTime(pauseMs, longestMs)) return fail(play, 'unavailable', at)
  activity.requestAt = at + pauseMs
  return 'asking'
}

/** Ends a failed run. If the provider cannot be reached and the context permits it, the last token is served. */
function fail(play: FleetPlay, kind: 'unavailable' | 'late', at: number): RunState {
  const { kept, activity } = play.desktop
  if (activity.isEarly) return serveKept(play, at)
  const isServed = isLastTokenServed(activity.context, kind) && kept.expiresAt > at
  return endRun(play, isServed ? 'kept' : 'failed', at)
}

/** Serves the kept token, unless its remaining life is now too short. */
function serveKept(play: FleetPlay, at: number): RunState {
  const { activity } = play.desktop
  if (isKeptFresh(play, at)) return endRun(play, 'cache', at)
  activity.isEarly = false
  activity.attempts = 0
  activity.requestAt = at
  return 'asking'
}

/** Ends a run. The client uses the printed token for the ttl from now on. */
function endRun(play: FleetPlay, origin: keyof FleetResult['runs'], at: number): RunState {
  const { desktop, counts } = play
  const { memory, kept } = desktop
  counts.noteRun(origin, at)
  play.observe(desktop.number, at, `run: ${origin}`)
  desktop.now = at
  if (origin === 'failed') return 'failed'
  memory.since = at
  memory.isRefused = false
  memory.isExcluded = false
  memory.minted = kept.minted
  memory.expiresAt = kept.expiresAt
  return 'ok'
}

/** Returns whether the token on the disk may be served to the present run. */
function isKeptFresh(play: FleetPlay, now: number): boolean {
  const { kept } = play.desktop
  return isKeptServed(kept, toRun(play, now), computeServableUntil(kept.expiresAt, play.choice.ttlSec))
}

/** Returns whether a fresh token is renewed early anyway. */
function isRenewalDue(play: FleetPlay, now: number): boolean {
  const { kept } = play.desktop
  const { ttlSec, renewEarly } = play.choice
  const servableUntil = computeServableUntil(kept.expiresAt, ttlSec)
  const renewedFrom = computeRenewedFrom(kept.minted, servableUntil, renewEarly, kept.fraction)
  return (
    isRenewedEarly(kept, toRun(play, now), renewedFrom) &&
    !isTooSoon(kept.triedAt, now, computeEarlyPauseMs(kept.fraction))
  )
}

function startEarlyRenewal({ desktop: { activity, kept } }: FleetPlay, at: number): RunState {
  activity.isEarly = true
  kept.triedAt = at
  return 'asking'
}

function toRun({ desktop: { activity } }: FleetPlay, now: number): ServingRun {
  return { context: activity.context, now, startedAt: activity.runStartedAt }
}
