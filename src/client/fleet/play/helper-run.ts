import { isLastTokenServed } from '../../../contract/timing/last-token.ts'
import { earlyRenewal } from '../../../contract/timing/served-token.ts'
import { computeRetryPauseMs, hasAttemptLeft, isPauseInTime } from '../../../runtime/network/fetch/retry-pause.ts'
import type { Activity } from '../desktop/activity.ts'
import type { FleetResult, MintCause } from '../fleet-result.ts'
import type { FleetPlay } from './fleet-play.ts'
import { isKeptFresh, isRenewalDue } from './kept-freshness.ts'

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
  activity.isEarly = false
  if (!isKeptFresh(play, at)) return 'asking'
  return isRenewalDue(play, at) ? startEarlyRenewal(play, at) : endRun(play, 'cache', at)
}

function startEarlyRenewal({ desktop: { activity, kept } }: FleetPlay, at: number): RunState {
  activity.isEarly = true
  kept.triedAt = at
  return 'asking'
}

/** When the run gives up, in milliseconds of the simulation. */
function computeDeadline({ desktop: { activity }, callMs }: FleetPlay): number {
  const { runStartedAt, context, isEarly } = activity
  return runStartedAt + Math.min(callMs[context], isEarly ? earlyRenewal.patienceSec * 1000 : Number.POSITIVE_INFINITY)
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
  const deadline = computeDeadline(play)
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
  kept.triedAt = Number.NEGATIVE_INFINITY
  kept.fraction = play.findFraction(desktop.number)
  return endRun(play, 'mint', answeredAt)
}

function findCause({ desktop: { kept, activity } }: FleetPlay, at: number): MintCause {
  if (activity.purpose === 'after-refusal') return 'refusal'
  return kept.expiresAt > at ? 'renewal' : 'first'
}

function retry(play: FleetPlay, saidMs: number | undefined, at: number): RunState {
  const { activity, random } = play.desktop
  if (!hasAttemptLeft(activity.attempts)) return fail(play, 'unavailable', at)
  const pauseMs = computeRetryPauseMs(saidMs, activity.attempts, random.next())
  if (!isPauseInTime(pauseMs, computeDeadline(play) - at)) return fail(play, 'unavailable', at)
  activity.requestAt = at + pauseMs
  return 'asking'
}

/** While the provider cannot be reached the last token is served, if its context allows that. */
function fail(play: FleetPlay, kind: 'unavailable' | 'late', at: number): RunState {
  const { kept, activity } = play.desktop
  if (activity.isEarly) return doWithout(play, at)
  const isServed = isLastTokenServed(activity.context, kind) && kept.expiresAt > at
  return endRun(play, isServed ? 'kept' : 'failed', at)
}

/** The kept token is served, unless it fell short meanwhile. */
function doWithout(play: FleetPlay, at: number): RunState {
  const { activity } = play.desktop
  if (isKeptFresh(play, at)) return endRun(play, 'cache', at)
  activity.isEarly = false
  activity.attempts = 0
  activity.requestAt = at
  return 'asking'
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
