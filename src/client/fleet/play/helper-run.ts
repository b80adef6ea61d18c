import { computeRenewedFrom, computeServableUntil, newForMs } from '../../../contract/timing/freshness.ts'
import { isLastTokenServed } from '../../../contract/timing/last-token.ts'
import { computeRetryPauseMs, hasAttemptLeft, isPauseInTime } from '../../../runtime/network/fetch/retry-pause.ts'
import type { Activity } from '../desktop/activity.ts'
import type { FleetResult, MintCause } from '../fleet-result.ts'
import type { FleetPlay } from './fleet-play.ts'

/** How a run of a simulated helper stands: it asks the provider at the activity's `requestAt`, or it has ended. */
export type RunState = 'asking' | 'ok' | 'failed'

/** Begins a run: a fresh token is served from the disk, otherwise the provider is to be asked at once. */
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
  return isKeptFresh(play, at) ? endRun(play, 'cache', at) : 'asking'
}

function isKeptFresh({ desktop: { kept, activity }, choice }: FleetPlay, now: number): boolean {
  const isNew = now - kept.minted <= newForMs && kept.expiresAt > now
  if (activity.context === 'mid-session-refresh') return isNew && kept.context === activity.context
  if (isNew) return true
  const servableUntil = computeServableUntil(kept.expiresAt, choice.ttlSec)
  return now <= computeRenewedFrom(kept.minted, servableUntil, choice.renewEarly, kept.fraction)
}

/** Asks the provider once. */
export function attemptMint(play: FleetPlay): RunState {
  const { desktop, provider, counts } = play
  const at = desktop.activity.requestAt
  desktop.activity.attempts += 1
  counts.count(counts.requests, at)
  const answer = provider.ask(at)
  if (answer === 'token') return receiveToken(play, at, at + provider.computeLatencyMs(at))
  counts.count(counts[answer], at)
  return retry(play, answer === 'throttled' ? play.retryAfterMs : undefined, at)
}

function receiveToken(play: FleetPlay, at: number, answeredAt: number): RunState {
  const { desktop, counts } = play
  const { kept, activity } = desktop
  const deadline = activity.runStartedAt + play.callMs[activity.context]
  if (answeredAt >= deadline) {
    counts.count(counts.late, at)
    return fail(play, 'late', deadline)
  }
  const cause = findCause(play, at)
  counts.count(counts.mints[cause], at)
  play.observe(desktop.number, at, `mint: ${cause}`)
  kept.minted = answeredAt
  // By the time before the request, because the token cannot have been issued earlier.
  kept.expiresAt = at + play.tokenLifeMs
  kept.context = activity.context
  return endRun(play, 'mint', answeredAt)
}

function findCause({ desktop: { kept, activity } }: FleetPlay, at: number): MintCause {
  if (activity.purpose === 'after-refusal') return 'refusal'
  return kept.expiresAt > at ? 'renewal' : 'first'
}

function retry(play: FleetPlay, saidMs: number | undefined, at: number): RunState {
  const { activity, random } = play.desktop
  const { attempts, runStartedAt, context } = activity
  if (!hasAttemptLeft(attempts)) return fail(play, 'unavailable', at)
  const pauseMs = computeRetryPauseMs(saidMs, attempts, random.next())
  if (!isPauseInTime(pauseMs, runStartedAt + play.callMs[context] - at)) return fail(play, 'unavailable', at)
  activity.requestAt = at + pauseMs
  return 'asking'
}

/** While the provider cannot be reached the last token is served, if its context allows that. */
function fail(play: FleetPlay, kind: 'unavailable' | 'late', at: number): RunState {
  const { kept, activity } = play.desktop
  const isServed = isLastTokenServed(activity.context, kind) && kept.expiresAt > at
  return endRun(play, isServed ? 'kept' : 'failed', at)
}

/** What a run printed is the client's credential for its ttl from now on. */
function endRun(play: FleetPlay, origin: keyof FleetResult['runs'], at: number): RunState {
  const { desktop, counts } = play
  const { memory, kept } = desktop
  counts.countRun(origin, at)
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
