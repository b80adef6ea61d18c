import { renderColumns } from '../../client/page/render-columns.ts'
import { renderBar, renderHtmlTable } from '../../client/page/render-html-table.ts'
import { renderCount } from '../../runtime/text/counted.ts'
import type { DurationFacts, FleetSummary } from '../logs/fleet-summary.ts'
import { durationSteps } from '../logs/summarize-durations.ts'
import {
  originTitles,
  percentileHeads,
  renderCounted,
  renderKnownMs,
  renderPercentiles,
  renderShare,
  stageTitles,
} from './report-words.ts'

/** Renders how long calls took, by their origin; which stages were late; and how long each kind of source took. */
export function renderDurationsSection({ origins, late, sources }: FleetSummary): string {
  if (origins.length === 0) return ''
  return `<section id="durations"><h2>How long</h2>
${renderDistribution(origins.filter(({ timed }) => timed > 0))}
<div class="beside">${renderFacts(
    'Calls, by how they ended',
    'call',
    origins.map(({ origin, ...facts }) => ({ name: originTitles[origin], ...facts })),
  )}
${renderLate(late)}
${renderFacts(
  'Sources, by how long they took',
  'source',
  sources.map(({ source, ...facts }) => ({ name: source, ...facts })),
)}</div></section>`
}

/** Renders the distribution of the known durations. */
function renderDistribution(origins: FleetSummary['origins']): string {
  if (origins.length === 0) return ''
  const last = Math.max(...origins.map(({ steps }) => steps.findLastIndex((count) => count > 0)))
  const steps = durationSteps.slice(0, last + 1)
  const chart = renderColumns({
    label: 'How many calls took how long',
    panels: origins.map(({ origin, timed, steps: counts }) => ({
      title: `${originTitles[origin]}, ${renderCounted(timed, 'call')}`,
      height: 46,
      renderValue: renderCount,
      parts: [{ className: origin, values: counts.slice(0, last + 1) }],
    })),
    columns: steps.map((from, index) => ({
      tick: `${renderKnownMs(from)} –`,
      words: describeStep(
        from,
        durationSteps[index + 1],
        origins.map(
          (each) =>
            `${originTitles[each.origin]} ${renderCount(each.steps[index] ?? 0)} (${renderShare(each.steps[index] ?? 0, each.timed)})`,
        ),
      ),
    })),
  })
  return `<div class="scroll">${chart}</div>
<output class="detail" aria-live="polite">Each panel has its own scale. Point at a column, or go to one with Tab and the arrow keys, to read about it here.</output>`
}

function describeStep(from: number, until: number | undefined, parts: readonly string[]): string {
  const span =
    until === undefined ? `${renderKnownMs(from)} and longer` : `${renderKnownMs(from)} to ${renderKnownMs(until)}`
  return `${span}  ${parts.join(', ')}`
}

function renderFacts(
  caption: string,
  noun: string,
  rows: readonly ({ readonly name: string } & DurationFacts)[],
): string {
  if (rows.length === 0) return ''
  const head = [noun, '#number', ...percentileHeads]
  const cells = rows.map(({ name, calls, ...facts }) => [name, renderCount(calls), ...renderPercentiles(facts)])
  return renderHtmlTable(caption, head, cells)
}

function renderLate(late: FleetSummary['late']): string {
  if (late.length === 0) return ''
  const head = ['late, waiting for', '#calls', '', '#machines', ...percentileHeads]
  const most = late[0]?.calls ?? 0
  const rows = late.map(({ stage, calls, machines, ...facts }) => [
    stageTitles[stage],
    renderCount(calls),
    { html: renderBar(calls, most, 'late'), className: 'drawn' },
    ...[renderCount(machines), ...renderPercentiles(facts)],
  ])
  return renderHtmlTable('What late calls waited for', head, rows)
}
