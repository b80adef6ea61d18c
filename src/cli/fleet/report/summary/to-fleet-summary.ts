import type { FleetTotals } from '../totals/fleet-totals.ts'
import type { FleetSummary, InputSummary } from './fleet-summary.ts'
import { summarizeCauses } from './summarize-causes.ts'
import { summarizeLate, summarizeServices, summarizeSources } from './summarize-durations.ts'
import { countMachines, summarizeFailing } from './summarize-machines.ts'
import { summarizeMoments } from './summarize-moments.ts'
import { findCurrentVersion, summarizeBehind, summarizeVersions } from './summarize-versions.ts'

/** What the counted calls say. */
export function toFleetSummary(totals: FleetTotals, input: InputSummary): FleetSummary {
  const { calls, firstAt, lastAt } = totals
  const causes = summarizeCauses(totals)
  const versions = summarizeVersions(totals)
  const currentVersion = findCurrentVersion(versions)
  return {
    period: calls === 0 ? undefined : { from: firstAt, to: lastAt },
    calls,
    failed: causes.reduce((sum, cause) => sum + cause.calls, 0),
    machines: countMachines(totals),
    services: summarizeServices(totals),
    causes,
    late: summarizeLate(totals),
    sources: summarizeSources(totals),
    versions,
    currentVersion,
    failing: summarizeFailing(totals),
    behind: summarizeBehind(totals, currentVersion),
    moments: summarizeMoments(totals.series),
    input,
  }
}
