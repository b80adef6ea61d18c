import type { FleetTotals } from '../totals/fleet-totals.ts'
import type { FleetSummary, InputSummary, MomentsSummary } from './fleet-summary.ts'
import { summarizeCauses } from './summarize-causes.ts'
import { summarizeLate, summarizeOrigins, summarizeSources } from './summarize-durations.ts'
import { countMachines, summarizeFailing } from './summarize-machines.ts'
import { summarizeMoments } from './summarize-moments.ts'
import { findCurrentVersion, summarizeBehind, summarizeVersions } from './summarize-versions.ts'

/** What the counted calls say. */
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

/** One machine whose clock says 1970 must not make it a period of half a century. */
function findPeriod({ firstAt, lastAt }: FleetTotals, { columns, stepMs }: MomentsSummary): FleetSummary['period'] {
  const [first, last] = [columns[0], columns.at(-1)]
  return first && last && { from: Math.max(firstAt, first.at), to: Math.min(lastAt, last.at + stepMs) }
}
