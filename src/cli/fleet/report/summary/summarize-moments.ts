import { joinMoments, type Moment, seriesSteps, type TimeSeries } from '../totals/time-series.ts'
import type { MomentSummary, MomentsSummary } from './fleet-summary.ts'

/** As many columns can be told apart on a page. */
const mostColumns = 150

/** Calls over time in as many steps as a chart can show. */
export function summarizeMoments(series: TimeSeries): MomentsSummary {
  const times = [...series.moments.keys()].toSorted((a, b) => a - b)
  const near = new Map(findNear(series.moments, times).map((time) => [time, series.moments.get(time)!]))
  const last = [...near.keys()].at(-1) ?? 0
  const first = near.keys().next().value ?? 0
  const stepMs = seriesSteps.find((step) => step >= series.stepMs && countSteps(first, last, step) <= mostColumns)! // the longest does for every time that a call may have
  const joined = joinMoments(near, stepMs)
  const beginning = Math.floor(first / stepMs) * stepMs
  const count = near.size === 0 ? 0 : countSteps(first, last, stepMs)
  return {
    stepMs,
    columns: Array.from({ length: count }, (_, index) => toColumn(beginning + index * stepMs, joined)),
    farAway: countCalls(series.moments.values()) - countCalls(near.values()),
  }
}

function countSteps(first: number, last: number, stepMs: number): number {
  return Math.floor(last / stepMs) - Math.floor(first / stepMs) + 1
}

function toColumn(at: number, moments: ReadonlyMap<number, Moment>): MomentSummary {
  const { calls = 0, failed = [], versions = [] } = moments.get(at) ?? {}
  return { at, calls, failed: Object.fromEntries(failed), versions: toWords(versions) }
}

/** A version is a word of a log, and may be `constructor`, which any other object has. */
function toWords(versions: Iterable<readonly [string, number]>): MomentSummary['versions'] {
  return Object.assign(Object.create(null), Object.fromEntries(versions))
}

/** This part of all calls, at either end, does not decide what is drawn; of a few calls this part, but no more than so many. */
const tail = 0.005
const tailOfFew = { part: 0.1, most: 3 } as const

/**
 * The times that are drawn: one machine whose clock says 1970 must not make a year of every column. What lies no further from
 * the middle of the calls than these are long is near.
 */
function findNear(moments: ReadonlyMap<number, Moment>, times: readonly number[]): number[] {
  const all = countCalls(moments.values())
  const outside = Math.max(all * tail, Math.min(all * tailOfFew.part, tailOfFew.most))
  let sum = 0
  const middle = times.filter((time) => {
    const before = sum
    sum += moments.get(time)?.calls ?? 0
    return sum > outside && before < all - outside
  })
  const [from = 0, to = 0] = [middle[0], middle.at(-1)]
  const margin = Math.max(to - from, shortestMargin)
  return times.filter((time) => time >= from - margin && time <= to + margin)
}

const shortestMargin = 3_600_000

function countCalls(moments: Iterable<Moment>): number {
  return [...moments].reduce((sum, { calls }) => sum + calls, 0)
}
