import { exitStatus, type FailureKind } from '../../../../runtime/failure.ts'
import type { FleetTotals } from '../totals/fleet-totals.ts'
import { listStillFailing, type MachineTotals } from '../totals/machine-totals.ts'
import { sortTally, type Tally } from '../totals/tally.ts'
import type { CauseSummary, WordCount } from './fleet-summary.ts'

/** Every cause of failures, the most frequent first. */
export function summarizeCauses({ causes, machines }: FleetTotals): CauseSummary[] {
  const failing = [...machines.values()].filter(({ failures }) => failures !== undefined)
  return [...causes]
    .map(([cause, { calls, helpers, contexts }]) => ({
      ...{ cause, status: exitStatus[cause], calls },
      ...countOn(cause, failing),
      ...{ helpers: toWordCounts(helpers), contexts: toWordCounts(contexts) },
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

/** How many of the largest numbers make half of the sum. */
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
