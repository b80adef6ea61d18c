import type { DurationFacts, FleetSummary } from '../summary/fleet-summary.ts'
import { durationSteps } from '../summary/summarize-durations.ts'

/** The whole summary as one JSON document. Moments are texts, durations are milliseconds. */
export function renderJson(summary: FleetSummary): string {
  const { period, origins, late, sources, failing, behind, moments } = summary
  const document = {
    ...summary,
    period: period && { from: toText(period.from), to: toText(period.to) },
    origins: origins.map(withSteps),
    late: late.map(withSteps),
    sources: sources.map(withSteps),
    failing: failing.map(({ lastSuccessAt, lastFailureAt, ...machine }) => ({
      ...machine,
      lastSuccessAt: lastSuccessAt && toText(lastSuccessAt),
      lastFailureAt: toText(lastFailureAt),
    })),
    behind: behind.map(({ seenAt, ...machine }) => ({ ...machine, seenAt: toText(seenAt) })),
    moments: { ...moments, columns: moments.columns.map(({ at, ...column }) => ({ at: toText(at), ...column })) },
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

function toText(at: number): string {
  return new Date(at).toISOString()
}

/** Steps without calls are left out. */
function withSteps<Facts extends DurationFacts>({ steps, ...facts }: Facts) {
  const filled = steps.map((calls, index) => ({ fromMs: durationSteps[index], calls }))
  return { ...facts, steps: filled.filter(({ calls }) => calls > 0) }
}
