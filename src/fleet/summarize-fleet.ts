import {
  computePeak,
  computeSum,
  countLost,
  countMints,
  daySec,
  type FleetResult,
  type Peak,
  selectPeaks,
  summarizeMinutes,
  waitStepsMs,
} from './fleet-result.ts'
import type { ComparedChoice } from './scenario/choice-keys.ts'

/** One choice, and the result of the fleet's day under this choice. */
export interface PlayedChoice {
  readonly choice: ComparedChoice
  readonly result: FleetResult
}

/** A fleet, and its day under one choice or two. */
export interface PlayedFleet {
  /** The name or the file of its scenario. */
  readonly name: string
  readonly summary: string
  readonly desktops: number
  readonly seed: number
  readonly played: readonly PlayedChoice[]
}

/** The names of the choices, in their order. */
export const choiceNames = ['A', 'B'] as const

/** Finds the note about a day that began with tokens of the day before; `undefined` if every token and ttl is shorter than a day. */
export function findSecondDayNote(played: readonly PlayedChoice[]): string | undefined {
  const isLong = played.some(({ choice }) => Math.max(choice.ttlSec, choice.tokenLifeSec) > daySec)
  if (!isLong) return undefined
  return 'This is the second day: tokens that last longer than 24 h were minted on the first.'
}

/** A fleet's day under one choice in numbers. */
export interface SimulationSummary {
  readonly choice: ComparedChoice
  readonly mints: { readonly all: number; readonly first: number; readonly renewal: number; readonly refusal: number }
  readonly mintPeak: Peak
  readonly requests: {
    readonly all: number
    readonly throttled: number
    readonly unreachable: number
    readonly late: number
  }
  readonly requestPeak: Peak
  readonly turns: { readonly all: number; readonly rescued: number; readonly lost: number }
  /** How long turns waited for a helper; turns that did not wait are included. */
  readonly waits: Waits
}

/** Waiting times are counted in steps: each number is the upper end of its step, and is absent beyond the last step. */
interface Waits {
  /** Turns that waited longer than the first step. */
  readonly waited: number
  readonly p50Ms?: number
  readonly p95Ms?: number
  readonly p99Ms?: number
  readonly longestMs?: number
}

/** Summarizes a day in numbers; pure. */
export function summarizeFleet({ choice, result }: PlayedChoice): SimulationSummary {
  const { mints, requests, throttled, unreachable, late, turns, rescued } = result
  const all = countMints(result)
  return {
    choice,
    mints: {
      all: computeSum(all),
      first: computeSum(mints.first),
      renewal: computeSum(mints.renewal),
      refusal: computeSum(mints.refusal),
    },
    mintPeak: computePeak(all),
    requests: {
      all: computeSum(requests),
      throttled: computeSum(throttled),
      unreachable: computeSum(unreachable),
      late: computeSum(late),
    },
    requestPeak: computePeak(requests),
    turns: { all: computeSum(turns), rescued: computeSum(rescued), lost: computeSum(countLost(result)) },
    waits: summarizeWaits(result.waits),
  }
}

function summarizeWaits(waits: FleetResult['waits']): Waits {
  const turns = computeSum(waits)
  const bound = (part: number) => findBound(waits, Math.max(1, Math.ceil(turns * part)))
  const bounds = { p50Ms: bound(0.5), p95Ms: bound(0.95), p99Ms: bound(0.99), longestMs: bound(1) }
  return {
    waited: turns - (waits[0] ?? 0),
    ...Object.fromEntries(Object.entries(bounds).filter(([, ms]) => ms !== undefined)),
  }
}

/** Finds the upper end of the step that contains the turn of this rank. */
function findBound(waits: FleetResult['waits'], rank: number): number | undefined {
  let passed = 0
  return waitStepsMs[
    waits.findIndex((count) => {
      passed += count
      return passed >= rank
    })
  ]
}

/** Converts a fleet's day for programs: the numbers of each choice, and series with a number for each minute of the day (UTC). */
export function toFleetRecord({ name, desktops, seed, played }: PlayedFleet) {
  return {
    scenario: name,
    desktops,
    seed,
    choices: played.map((one, index) => ({
      name: choiceNames[index],
      ...summarizeFleet(one),
      perMinute: {
        mints: summarizeMinutes(countMints(one.result)),
        mostMintsPerSec: selectPeaks(countMints(one.result), 60),
        requests: summarizeMinutes(one.result.requests),
        throttled: summarizeMinutes(one.result.throttled),
        unreachable: summarizeMinutes(one.result.unreachable),
        late: summarizeMinutes(one.result.late),
        turns: summarizeMinutes(one.result.turns),
        rescued: summarizeMinutes(one.result.rescued),
        lost: summarizeMinutes(countLost(one.result)),
      },
    })),
  }
}
