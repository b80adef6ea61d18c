import { type FleetResult, waitStepsMs } from '../fleet-result.ts'
import type { ComparedChoice } from '../scenario/fleet-scenario.ts'
import { computeSum, countLost, countMints, findPeak, type Peak } from './fleet-series.ts'
import type { PlayedChoice } from './played-choice.ts'

/** A fleet's day under one choice in numbers. */
export interface FleetSummary {
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
  /** How long turns waited for a helper, those included that did not. */
  readonly waits: Waits
}

/** Waiting is counted in steps: a number is the upper end of its step, and absent beyond the last one. */
interface Waits {
  /** Turns that waited longer than the first step. */
  readonly waited: number
  readonly p50Ms?: number
  readonly p95Ms?: number
  readonly p99Ms?: number
  readonly longestMs?: number
}

/** Counts a day; pure. */
export function summarizeFleet({ choice, result }: PlayedChoice): FleetSummary {
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
    mintPeak: findPeak(all),
    requests: {
      all: computeSum(requests),
      throttled: computeSum(throttled),
      unreachable: computeSum(unreachable),
      late: computeSum(late),
    },
    requestPeak: findPeak(requests),
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

/** The upper end of the step in which the turn of that rank is. */
function findBound(waits: FleetResult['waits'], rank: number): number | undefined {
  let passed = 0
  return waitStepsMs[
    waits.findIndex((count) => {
      passed += count
      return passed >= rank
    })
  ]
}
