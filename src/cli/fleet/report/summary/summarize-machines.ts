import { type FleetTotals, isStillFailing, type MachineTotals } from '../totals/fleet-totals.ts'
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
  const { version, calls, failed, failures, lastSuccessAt, lastFailureAt } = totals
  return {
    ...{ version, calls, failed, lastFailureAt },
    failures: Object.fromEntries(failures ?? []),
    lastSuccessAt: lastSuccessAt === 0 ? undefined : lastSuccessAt,
    state: isStillFailing(totals) ? 'still failing' : 'recovered',
  }
}
