import { timeSteps } from '../../client/page/render-columns.ts'
import { exitStatus, type FailureKind } from '../../runtime/failure.ts'
import type {
  CauseSummary,
  FleetSummary,
  InputSummary,
  MachineCounts,
  MachineSummary,
  MomentSummary,
  MomentsSummary,
  WordCount,
} from './fleet-summary.ts'
import type { FleetTotals } from './fleet-totals.ts'
import { type HelperTotals, listStillFailing, type MachineTotals, sortTally, type Tally } from './machine-totals.ts'
import { summarizeLate, summarizeOrigins, summarizeSources } from './summarize-durations.ts'
import { findCurrentVersion, summarizeBehind, summarizeVersions } from './summarize-versions.ts'
import { joinMoments, type MomentTotals, type TimeSeries } from './time-series.ts'

/** Computes rates, quantiles and the worst machines from the totals of the logs. */
export function toFleetSummary(totals: FleetTotals, input: InputSummary): FleetSummary {
  const causes = summarizeCauses(totals)
  const versions = summarizeVersions(totals)
  const currentVersion = findCurrentVersion(versions)
  const moments = summarizeMoments(totals.series)
  return {
    period: findPeriod(totals, moments),
    calls: totals.calls,
    failed: causes.reduce((sum, cause) => sum + cause.calls, 0),
    machines: countMachines(totals),
    origins: summarizeOrigins(totals),
    causes,
    late: summarizeLate(totals),
    sources: summarizeSources(totals),
    versions,
    currentVersion,
    failing: summarizeFailing(totals),
    behind: summarizeBehind(totals, currentVersion),
    moments,
    input,
  }
}

/** Summarizes every cause of failures, the most frequent first. */
function summarizeCauses({ causes, machines }: FleetTotals): CauseSummary[] {
  const failing = [...machines.values()].filter(({ failures }) => failures !== undefined)
  return [...causes]
    .map(([cause, { calls, helpers, contexts }]) => ({
      cause,
      status: exitStatus[cause],
      calls,
      ...countOn(cause, failing),
      helpers: toWordCounts(helpers),
      contexts: toWordCounts(contexts),
    }))
    .toSorted((a, b) => b.calls - a.calls || a.status - b.status)
}

function countOn(cause: FailureKind, machines: readonly MachineTotals[]) {
  const having = machines.filter(({ failures }) => failures?.has(cause))
  const counts = having.map(({ failures }) => failures?.get(cause) ?? 0).toSorted((a, b) => b - a)
  return {
    machines: having.length,
    halfOn: countUntilHalf(counts),
    stillFailing: having.filter((machine) => listStillFailing(machine).some(({ lastFailure }) => lastFailure === cause))
      .length,
  }
}

/** Counts how many of the largest numbers are needed for half of the sum. */
function countUntilHalf(counts: readonly number[]): number {
  const half = counts.reduce((sum, count) => sum + count, 0) / 2
  let sum = 0
  let machines = 0
  for (const count of counts) {
    if (sum >= half) break
    sum += count
    machines += 1
  }
  return machines
}

function toWordCounts(tally: Tally): WordCount[] {
  return sortTally(tally).map(([name, calls]) => ({ name, calls }))
}

/** Summarizes calls over time, with as many steps as a chart can show. */
function summarizeMoments(series: TimeSeries): MomentsSummary {
  const times = [...series.moments.keys()].toSorted((a, b) => a - b)
  const near = new Map(selectNear(series.moments, times).map((time) => [time, series.moments.get(time)!]))
  const last = [...near.keys()].at(-1) ?? 0
  const first = near.keys().next().value ?? 0
  const stepMs = timeSteps.find((step) => step >= series.stepMs && countSteps(first, last, step) <= maxColumns)! // the longest step is long enough for all times that calls may have
  const joined = joinMoments(near, stepMs)
  const beginning = Math.floor(first / stepMs) * stepMs
  const count = near.size === 0 ? 0 : countSteps(first, last, stepMs)
  return {
    stepMs,
    columns: Array.from({ length: count }, (_, index) => toColumn(beginning + index * stepMs, joined)),
    farAway: countCalls(series.moments.values()) - countCalls(near.values()),
  }
}

/**
 * Selects the times to draw: one machine whose clock is at 1970 must not make every column a year long. A time is near if its distance from
 * the bulk of the calls is at most the time that the bulk spans.
 */
function selectNear(moments: ReadonlyMap<number, MomentTotals>, times: readonly number[]): number[] {
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

function countSteps(first: number, last: number, stepMs: number): number {
  return Math.floor(last / stepMs) - Math.floor(first / stepMs) + 1
}

function toColumn(at: number, moments: ReadonlyMap<number, MomentTotals>): MomentSummary {
  const { calls = 0, failed = [], versions = [] } = moments.get(at) ?? {}
  return { at, calls, failed: Object.fromEntries(failed), versions: toWords(versions) }
}

/** Creates an object without a prototype: a version comes from a log, and may be `constructor`, which any other object has. */
function toWords(versions: Iterable<readonly [string, number]>): MomentSummary['versions'] {
  return Object.assign(Object.create(null), Object.fromEntries(versions))
}

/**
 * The share of all calls at either end that is ignored for the choice of the period. For few calls the share is larger, but the number is
 * limited.
 */
const tail = 0.005
const tailOfFew = { part: 0.1, most: 3 } as const

function countCalls(moments: Iterable<MomentTotals>): number {
  return [...moments].reduce((sum, { calls }) => sum + calls, 0)
}

/** Finds the period of the report, which one machine whose clock is at 1970 must not extend to half a century. */
function findPeriod({ firstAt, lastAt }: FleetTotals, { columns, stepMs }: MomentsSummary): FleetSummary['period'] {
  const [first, last] = [columns[0], columns.at(-1)]
  return first && last && { from: Math.max(firstAt, first.at), to: Math.min(lastAt, last.at + stepMs) }
}

/** Counts all machines, those that failed, and those that are still failing. */
function countMachines({ machines }: FleetTotals): MachineCounts {
  const all = [...machines.values()]
  return {
    all: all.length,
    failed: all.filter(({ failed }) => failed > 0).length,
    stillFailing: all.filter((machine) => listStillFailing(machine).length > 0).length,
  }
}

/** Summarizes every machine that failed, the ones with most failures first. */
function summarizeFailing({ machines }: FleetTotals): MachineSummary[] {
  return [...machines]
    .filter(([, { failed }]) => failed > 0)
    .toSorted(([a, { failed: failedA }], [b, { failed: failedB }]) => failedB - failedA || (a < b ? -1 : 1))
    .map(([machine, totals]) => ({ machine, ...toSummary(totals) }))
}

function toSummary(totals: MachineTotals): Omit<MachineSummary, 'machine'> {
  const { version, calls, failed, failures, helpers } = totals
  const still = listStillFailing(totals)
  return {
    version,
    calls,
    failed,
    failures: Object.fromEntries(failures ?? []),
    stillFailing: still.map(({ helper }) => helper),
    lastSuccessAt: findLastSuccess(still, helpers),
    lastFailureAt: Math.max(...helpers.map(({ lastFailureAt }) => lastFailureAt)),
  }
}

function findLastSuccess(still: readonly HelperTotals[], helpers: readonly HelperTotals[]): number | undefined {
  const at =
    still.length > 0
      ? Math.min(...still.map(({ lastSuccessAt }) => lastSuccessAt))
      : Math.max(...helpers.map(({ lastSuccessAt }) => lastSuccessAt))
  return at === 0 ? undefined : at
}

/** How many columns are distinguishable on a page. */
const maxColumns = 150
