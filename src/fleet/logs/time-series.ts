import { timeSteps } from '../../client/page/render-columns.ts'
import type { FailureKind } from '../../runtime/failure.ts'
import { addToTally, type Tally } from './machine-totals.ts'
import type { LoggedCall } from './parse-log-line.ts'

/** The calls in one step of time. */
export interface MomentTotals {
  calls: number
  readonly failed: Map<FailureKind, number>
  readonly versions: Tally
}

/** Calls by the time at which they began, in equal steps. */
export interface TimeSeries {
  /** The length of a step, in milliseconds. */
  stepMs: number
  /** The key is the beginning of the step, in milliseconds since the epoch. */
  readonly moments: Map<number, MomentTotals>
}

/** Creates a series without calls, in steps of a minute. */
export function createTimeSeries(): TimeSeries {
  return { stepMs: timeSteps[0]!, moments: new Map() }
}

/** Adds a call, or the calls that the record counts. */
export function addToSeries(series: TimeSeries, { time, outcome, version, count }: LoggedCall): void {
  const moment = ensureMoment(series, time)
  moment.calls += count
  addToTally(moment.versions, version, count)
  if (outcome !== 'success') moment.failed.set(outcome, (moment.failed.get(outcome) ?? 0) + count)
}

function ensureMoment(series: TimeSeries, time: number): MomentTotals {
  const known = series.moments.get(toBeginning(time, series.stepMs))
  if (known) return known
  if (series.moments.size >= maxMoments) applyLongerStep(series)
  const beginning = toBeginning(time, series.stepMs)
  const moment = series.moments.get(beginning) ?? createMoment()
  series.moments.set(beginning, moment)
  return moment
}

function createMoment(): MomentTotals {
  return { calls: 0, failed: new Map(), versions: new Map() }
}

/** The most moments; beyond it, the steps get longer. 4,000 minutes are almost three days. */
const maxMoments = 4000

function applyLongerStep(series: TimeSeries): void {
  const longer = timeSteps.find((step) => step > series.stepMs)
  if (longer === undefined) return
  const joined = joinMoments(series.moments, longer)
  series.stepMs = longer
  series.moments.clear()
  for (const [time, moment] of joined) series.moments.set(time, moment)
}

/** Joins the calls into longer steps. */
export function joinMoments(moments: ReadonlyMap<number, MomentTotals>, stepMs: number): Map<number, MomentTotals> {
  const joined = new Map<number, MomentTotals>()
  for (const [time, { calls, failed, versions }] of moments) {
    const beginning = toBeginning(time, stepMs)
    const moment = joined.get(beginning) ?? createMoment()
    moment.calls += calls
    for (const [kind, count] of failed) moment.failed.set(kind, (moment.failed.get(kind) ?? 0) + count)
    for (const [version, count] of versions) addToTally(moment.versions, version, count)
    joined.set(beginning, moment)
  }
  return joined
}

function toBeginning(time: number, stepMs: number): number {
  return Math.floor(time / stepMs) * stepMs
}
