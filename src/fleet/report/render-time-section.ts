import { nameMoments, renderColumns } from '../../client/page/render-columns.ts'
import { renderTableBox } from '../../client/page/render-html-table.ts'
import type { FailureKind } from '../../runtime/failure.ts'
import { renderCount } from '../../runtime/text/counted.ts'
import type { FleetSummary, MomentSummary, MomentsSummary } from '../logs/fleet-summary.ts'
import { renderEnd, renderFarAway } from './report-sentences.ts'
import { renderCounted, renderMoment } from './report-words.ts'

/**
 * Renders when calls failed and why, in a panel of its own below all calls: on one scale, one failure in a hundred calls would be
 * invisible.
 */
export function renderTimeSection({ moments, causes }: FleetSummary): string {
  if (moments.columns.length === 0) return ''
  const kinds = causes.map(({ cause }) => cause)
  const farAway = renderFarAway(moments)
  return `<section id="time"><h2>When</h2>
${renderLegend(kinds)}
<div class="scroll">${renderChart(moments, kinds)}</div>
<output class="detail" aria-live="polite">Point at a column, or go to one with Tab and the arrow keys, to read about it here. Times are in UTC.</output>
${farAway && `<p>Not drawn: ${farAway}.</p>`}
<details><summary>The same as a table</summary>${renderTable(moments, kinds)}</details></section>`
}

function renderLegend(kinds: readonly string[]): string {
  const items = kinds.map(
    (kind) =>
      `<li><svg viewBox="0 0 16 16" aria-hidden="true"><rect class="${kind}" x="2" y="2" width="12" height="12" rx="2"/></svg>${kind}</li>`,
  )
  return `<ul class="legend" aria-label="legend">${items.join('')}</ul>`
}

function renderChart({ columns, stepMs }: MomentsSummary, kinds: readonly FailureKind[]): string {
  const ticks = nameMoments(columns.map(({ at }) => at))
  const calls = { title: 'calls', height: 70, renderValue: renderCount }
  const failures = { title: 'failures, by cause', height: 190, renderValue: renderCount }
  const failureParts = kinds.map((kind) => ({
    className: kind,
    values: columns.map(({ failed }) => failed[kind] ?? 0),
  }))
  return renderColumns({
    label: 'Calls and failures over time',
    panels: [
      { ...calls, parts: [{ className: 'calls', values: columns.map((column) => column.calls) }] },
      ...(kinds.length === 0 ? [] : [{ ...failures, parts: failureParts }]),
    ],
    columns: columns.map((column, index) => ({ words: describeColumn(column, stepMs), tick: ticks[index] })),
  })
}

function renderTable({ columns }: MomentsSummary, kinds: readonly FailureKind[]): string {
  const head = ['from (UTC)', '#calls', '#failed', ...kinds.map((kind) => `#${kind}`)]
  const rows = columns.map(({ at, calls, failed }) => [
    renderMoment(at),
    ...[calls, countFailed({ failed }), ...kinds.map((kind) => failed[kind] ?? 0)].map(renderCount),
  ])
  return renderTableBox('Calls and failures over time', head, rows)
}

function describeColumn({ at, calls, failed }: MomentSummary, stepMs: number): string {
  const causes = Object.entries(failed).toSorted(([, a], [, b]) => b - a)
  const words = causes.map(([cause, count]) => `${cause} ${renderCount(count)}`)
  const failures =
    causes.length === 0 ? 'none failed' : `${renderCount(countFailed({ failed }))} failed: ${words.join(', ')}`
  return `${renderMoment(at)} to ${renderEnd(at, stepMs)}  ${renderCounted(calls, 'call')}, ${failures}`
}

function countFailed({ failed }: Pick<MomentSummary, 'failed'>): number {
  return Object.values(failed).reduce((sum, count) => sum + count, 0)
}
