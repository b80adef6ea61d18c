import { countBetween, countDurations, createDurations, type Durations, findPercentile } from './duration-counts.ts'
import type { DurationFacts, FleetSummary } from './fleet-summary.ts'
import type { CallOrigin, FleetTotals } from './fleet-totals.ts'
import { toStageBit } from './machine-totals.ts'

/** The beginning of each step of a drawn distribution, in milliseconds: three steps for each power of ten. */
export const durationSteps = [
  0, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000,
] as const

const origins: readonly CallOrigin[] = ['cache', 'mint', 'kept', 'other', 'failed']

/** Summarizes calls by the origin of their tokens, in the order of the table above. */
export function summarizeOrigins({ origins: totals, untimed }: FleetTotals): FleetSummary['origins'] {
  return origins
    .map((origin) => ({
      origin,
      ...toDurationFacts(totals.get(origin) ?? createDurations(), untimed.get(origin)),
    }))
    .filter(({ calls }) => calls > 0)
}

/** Summarizes the stages in which calls were late, the most frequent first. */
export function summarizeLate({ late, machines }: FleetTotals): FleetSummary['late'] {
  const all = [...machines.values()]
  return [...late]
    .map(([stage, durations]) => ({
      stage,
      machines: all.filter(({ lateStages }) => (lateStages & toStageBit(stage)) !== 0).length,
      ...toDurationFacts(durations),
    }))
    .toSorted((a, b) => b.calls - a.calls)
}

/** Summarizes how long sources took, the slowest first. */
export function summarizeSources({ sources }: FleetTotals): FleetSummary['sources'] {
  return [...sources]
    .map(([source, durations]) => ({ source, ...toDurationFacts(durations) }))
    .toSorted((a, b) => (b.p95 ?? 0) - (a.p95 ?? 0))
}

function toDurationFacts(durations: Durations, untimed = 0): DurationFacts {
  const find = (part: number) => findPercentile(durations, part)
  const timed = countDurations(durations)
  return {
    calls: timed + untimed,
    timed,
    p50: find(0.5),
    p95: find(0.95),
    p99: find(0.99),
    steps: durationSteps.map((from, index) =>
      countBetween(durations, from, durationSteps[index + 1] ?? Number.POSITIVE_INFINITY),
    ),
  }
}
