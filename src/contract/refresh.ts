import { marginMs, newForMs } from './freshness.ts'

/** Why a client runs a helper in `mid-session-refresh`: its token was refused, or its ttl has passed. The context does not tell which. */
export const refreshCauses = ['refused', 'expired'] as const

/** See {@link refreshCauses}. */
export type RefreshCause = (typeof refreshCauses)[number]

/** The variable in which a client, or a wrapper script, states why it refreshes. It is our own: no other client sets it. */
export const refreshCauseVariable = 'GATEPASS_REFRESH_CAUSE'

/** Returns the stated cause; `undefined` if it must be detected. */
export function detectStatedCause(env: Readonly<Record<string, string | undefined>>): RefreshCause | undefined {
  return refreshCauses.find((known) => known === env[refreshCauseVariable])
}

/**
 * Why a process of a client got a token: for another window (`given`); for a probe or a test, which keeps no token (`probed`); or in a
 * refresh, instead of a window's token.
 */
export type HandOutKind = 'given' | 'probed' | RefreshCause

/** One token that a process of a client was handed. Moments are milliseconds since the epoch, by this machine's clock of that time. */
export interface HandOut {
  readonly kind: HandOutKind
  /** The client's process id. */
  readonly process: number
  readonly at: number
  /** When the machine started; 0 if unknown. */
  readonly bootedAt: number
}

/** A run in `mid-session-refresh`. */
interface RefreshingRun {
  readonly startedAt: number
  readonly bootedAt: number
  readonly clientTtlSec: number
  /** The result of {@link detectStatedCause}. */
  readonly statedCause?: RefreshCause | undefined
}

/** The detected reason of a client's refresh. */
export interface DetectedRefresh {
  readonly cause: RefreshCause
  /** Whether the same process has requested the same refresh a moment ago: the same token may then be served again. */
  readonly isRepeated: boolean
}

/** A client that comes back before this part of its ttl has passed does not come because of the ttl. Our decision. */
const refusedBeforePart = 0.9

/**
 * Detects the cause of a refresh if the client does not state it. It is a refusal only if nothing else explains it: the process holds
 * a token, and got each token that it holds too recently for the ttl to have passed. A process that was never seen, such as the
 * shell of a wrapper script, counts as an expiry; so does a process with several windows of which one got its token long enough
 * ago, and a moment by a clock that was set since then.
 * @param held The result of {@link listHeld}.
 */
export function detectRefresh(held: readonly HandOut[], run: RefreshingRun): DetectedRefresh {
  const last = held.at(-1)
  const isMomentsAgo = last !== undefined && isRefresh(last.kind) && run.startedAt - last.at <= newForMs
  if (run.statedCause) return { cause: run.statedCause, isRepeated: isMomentsAgo && last.kind === run.statedCause }
  const isExplained = held.some((each) => computeAgeMs(each, run) >= run.clientTtlSec * 1000 * refusedBeforePart)
  if (!last || isExplained) return { cause: 'expired', isRepeated: false }
  return isMomentsAgo ? { cause: last.kind as RefreshCause, isRepeated: true } : { cause: 'refused', isRepeated: false }
}

/**
 * Lists the tokens that a process of a client holds, the oldest first. Each of its windows keeps its token until it refreshes. Nobody knows
 * which window refreshes, so a refresh counts as replacing the oldest token.
 * @param handOuts The hand-outs of all processes, the oldest first.
 * @param until Milliseconds since the epoch: tokens that other runs have handed out since then are not the reason of this run.
 */
export function listHeld<T extends HandOut>(
  handOuts: readonly T[],
  process: number,
  until = Number.POSITIVE_INFINITY,
): T[] {
  let held: T[] = []
  for (const each of handOuts) {
    if (each.process !== process || each.at > until || (each.kind === 'probed' && held.length > 0)) continue
    held = [...(isRefresh(each.kind) ? held.slice(1) : held), each]
  }
  return held
}

function isRefresh(kind: HandOutKind): boolean {
  return kind === 'refused' || kind === 'expired'
}

/**
 * The calls after which a client that never says why it asks is taken to ask because the gateway has refused its token: so many calls for
 * one token by one of its processes.
 */
export interface Suspicion {
  /** The number of calls, including this one. */
  readonly calls: number
  /** The time within which they have to come, in milliseconds; absent if it does not matter. */
  readonly withinMs?: number
  /** In milliseconds. A younger token is kept: the gateway would refuse a new one too, and many simultaneous calls need only one mint. */
  readonly keptForMs: number
  /**
   * `refusal`: the client repeats a request only after a refusal. `rhythm`: it runs the helper for each turn, so concurrent calls without
   * any refusal look the same.
   */
  readonly evidence: 'refusal' | 'rhythm'
}

/** The suspicion against a second call by a process that runs the helper again only after a refusal. */
export const askedAgain: Suspicion = { calls: 2, keptForMs: newForMs, evidence: 'refusal' }

/** Parses a helper's options for a client that never states its reason. The times are our decision. */
export function toSuspicion(options: {
  readonly 'suspect-repetition': boolean
  readonly 'suspect-after': number | undefined
}): Suspicion | undefined {
  if (options['suspect-repetition']) return askedAgain
  const calls = options['suspect-after']
  return calls === undefined ? undefined : { calls, withinMs: 10_000, keptForMs: 60_000, evidence: 'rhythm' }
}

/** A call by a client that never states its reason, and the token that would be served. */
interface SuspectedCall {
  readonly process: number
  readonly startedAt: number
  readonly now: number
  /** The digest of the token, and when it was minted. */
  readonly digest: string | undefined
  readonly minted: number
}

/**
 * Returns whether calls by the client's process are so frequent that its token counts as refused.
 * @param handOuts The hand-outs of all processes.
 */
export function isSuspected(
  handOuts: readonly (HandOut & { readonly digest: string | undefined })[],
  { calls, withinMs = Number.POSITIVE_INFINITY, keptForMs }: Suspicion,
  { process, startedAt, now, digest, minted }: SuspectedCall,
): boolean {
  if (now - minted <= keptForMs) return false
  const same = handOuts.filter((each) => each.process === process && each.digest === digest)
  return same.filter(({ at }) => at <= startedAt && startedAt - at <= withinMs).length >= calls - 1
}

/** Returns infinity if the clock was changed since, by more than a harmless step. */
function computeAgeMs({ at, bootedAt }: HandOut, run: RefreshingRun): number {
  const isOfThisClock = bootedAt === 0 || run.bootedAt === 0 || Math.abs(bootedAt - run.bootedAt) <= marginMs
  return isOfThisClock ? run.startedAt - at : Number.POSITIVE_INFINITY
}
