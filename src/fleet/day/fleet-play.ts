import { type CredentialTiming, toCredentialTiming } from '../../client/credentials/credential-timing.ts'
import { defaultLookAheadSec } from '../../client/session/client.ts'
import { computeCallSec, computeEarlyFraction } from '../../contract/freshness.ts'
import {
  daySec,
  type FleetLoss,
  type FleetResult,
  type MintCause,
  type ObserveFleet,
  waitStepsMs,
} from '../fleet-result.ts'
import type { FleetChoice, FleetSettings } from '../fleet-settings.ts'
import type { FleetContext } from './activity.ts'
import { Desktop } from './desktop.ts'

/** The parts of a running simulation. */
export interface FleetPlay {
  readonly choice: FleetChoice
  readonly timing: CredentialTiming
  /** How long a helper run may take in each context. */
  readonly callMs: Readonly<Record<FleetContext, number>>
  readonly tokenLifeMs: number
  readonly retryAfterMs: number | undefined
  /** When the simulation ends, in milliseconds. */
  readonly endsAt: number
  readonly provider: SimulatedProvider
  readonly counts: FleetCounts
  /** The present desktop: each activity loads another one into the same object. */
  readonly desktop: Desktop
  readonly observe: ObserveFleet
  /** The fraction of the longest early time by which a desktop renews the token that it has just received. */
  readonly computeFraction: (desktop: number) => number
}

/**
 * Prepares a simulation.
 * @param computeFraction By default each desktop draws its own fraction, like a machine.
 */
export function createFleetPlay(
  settings: FleetSettings,
  choice: FleetChoice,
  {
    observe,
    computeFraction,
  }: Pick<FleetPlay, 'observe'> & { readonly computeFraction: FleetPlay['computeFraction'] | undefined },
): FleetPlay {
  const desktop = new Desktop(settings)
  const countedFrom = settings.warmUpDays * daySec * 1000
  const endsAt = countedFrom + daySec * 1000
  const { retryAfterSec } = settings.provider
  return {
    choice,
    observe,
    endsAt,
    desktop,
    computeFraction:
      computeFraction ?? (() => computeEarlyFraction(desktop.kept.fractionOfMachine, desktop.random.next())),
    timing: toCredentialTiming(choice, defaultLookAheadSec),
    callMs: {
      interactive: computeCallSec('interactive', choice.timeoutSec) * 1000,
      'scheduled-task': computeCallSec('scheduled-task', choice.timeoutSec) * 1000,
      'mid-session-refresh': computeCallSec('mid-session-refresh', choice.timeoutSec) * 1000,
    },
    tokenLifeMs: settings.tokenLifeSec * 1000,
    retryAfterMs: retryAfterSec === undefined ? undefined : retryAfterSec * 1000,
    provider: new SimulatedProvider(settings, endsAt / 1000, countedFrom),
    counts: new FleetCounts(countedFrom),
  }
}

/** Counts the last day of a simulation; events on other days are ignored. */
class FleetCounts {
  readonly #fromSec: number
  readonly mints: Readonly<Record<MintCause, Uint32Array>> = {
    first: new Uint32Array(daySec),
    renewal: new Uint32Array(daySec),
    refusal: new Uint32Array(daySec),
  }
  readonly requests = new Uint32Array(daySec)
  readonly throttled = new Uint32Array(daySec)
  readonly unreachable = new Uint32Array(daySec)
  readonly late = new Uint32Array(daySec)
  readonly turns = new Uint32Array(daySec)
  readonly rescued = new Uint32Array(daySec)
  readonly lost: Readonly<Record<FleetLoss, Uint32Array>> = {
    'no-credential': new Uint32Array(daySec),
    unauthorized: new Uint32Array(daySec),
  }
  readonly runs = { cache: 0, mint: 0, kept: 0, failed: 0 }
  readonly waits = new Uint32Array(waitStepsMs.length + 1)

  constructor(fromMs: number) {
    this.#fromSec = fromMs / 1000
  }

  /** Adds one to the second of a time. */
  noteMoment(series: Uint32Array, at: number): void {
    const second = this.#findSecond(at)
    if (second !== undefined) series[second]! += 1
  }

  noteRun(origin: keyof FleetResult['runs'], at: number): void {
    if (this.#findSecond(at) !== undefined) this.runs[origin] += 1
  }

  /** Counts a turn that was sent, or lost, at a time. */
  noteTurn(at: number, waitedMs: number): void {
    const second = this.#findSecond(at)
    if (second === undefined) return
    this.turns[second]! += 1
    let step = 0
    while (step < waitStepsMs.length && waitedMs > waitStepsMs[step]!) step += 1
    this.waits[step]! += 1
  }

  /** Finds the second of the counted day in which a time lies; `undefined` for a time of another day. */
  #findSecond(at: number): number | undefined {
    const second = Math.floor(at / 1000) - this.#fromSec
    return second >= 0 && second < daySec ? second : undefined
  }
}

/** The identity provider of a simulated fleet, which counts the requests of each second. */
export class SimulatedProvider {
  readonly #settings: FleetSettings
  readonly #perSec: Uint32Array
  readonly #offsetMs: number

  /** @param offsetMs The beginning of the counted day, in milliseconds of the simulation. */
  constructor(settings: FleetSettings, seconds: number, offsetMs: number) {
    this.#settings = settings
    this.#perSec = new Uint32Array(seconds)
    this.#offsetMs = offsetMs
  }

  /**
   * Sends one request.
   * @returns its result.
   */
  ask(at: number): 'token' | 'throttled' | 'unreachable' {
    if (this.#isOut(at)) return 'unreachable'
    const second = Math.floor(at / 1000)
    const count = this.#perSec[second]! + 1
    this.#perSec[second] = count
    const { quotaPerSec } = this.#settings.provider
    return quotaPerSec !== undefined && count > quotaPerSec ? 'throttled' : 'token'
  }

  /** Computes how long an answer takes in milliseconds, under the load of its second up to this request. */
  computeLatencyMs(at: number): number {
    const { latency } = this.#settings.provider
    const perSec = this.#perSec[Math.floor(at / 1000)]!
    let below = latency[0]!
    for (const above of latency) {
      if (perSec <= above[0]) return computeBetween(below, above, perSec)
      below = above
    }
    return below[1]
  }

  /** Computes when a token of this time is revoked; infinite if it never is. */
  computeRevocation(minted: number): number {
    for (const at of this.#settings.revocations) {
      const revokedAt = this.#offsetMs + at * 1000
      if (revokedAt > minted) return revokedAt
    }
    return Number.POSITIVE_INFINITY
  }

  #isOut(moment: number): boolean {
    for (const { at, forSec } of this.#settings.outages) {
      const begin = this.#offsetMs + at * 1000
      if (moment >= begin && moment < begin + forSec * 1000) return true
    }
    return false
  }
}

type Point = FleetSettings['provider']['latency'][number]

function computeBetween(below: Point, above: Point, perSec: number): number {
  if (perSec <= below[0]) return below[1]
  return below[1] + ((perSec - below[0]) / (above[0] - below[0])) * (above[1] - below[1])
}
