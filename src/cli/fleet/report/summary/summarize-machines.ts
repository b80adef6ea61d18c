import type { FleetTotals } from '../totals/fleet-totals.ts'
import { type HelperTotals, isStillFailing, listStillFailing, type MachineTotals } from '../totals/machine-totals.ts'
import type { MachineCounts, MachineSummary } from './fleet-summary.ts'

/** How many machines there are, and how they are. */
export function countMachines({ machines }: FleetTotals): MachineCounts {
  const all = [...machines.values()]
  return {
    all: all.length,
    failed: all.filter(({ failed }) => failed > 0).length,
    stillFailing: all.filter(isStillFailing).length,
  }
}

/** Every machine that failed, the ones with most failures first. */
export function summarizeFailing({ machines }: FleetTotals): MachineSummary[] {
  return [...machines]
    .filter(([, { failed }]) => failed > 0)
    .toSorted(([a, { failed: failedA }], [b, { failed: failedB }]) => failedB - failedA || (a < b ? -1 : 1))
    .map(([machine, totals]) => ({ machine, ...toSummary(totals) }))
}

function toSummary(totals: MachineTotals): Omit<MachineSummary, 'machine'> {
  const { version, calls, failed, failures, helpers } = totals
  const still = listStillFailing(totals)
  return {
    ...{ version, calls, failed },
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
