import { renderColumns } from '../../../../client/chart/render-columns.ts'
import { renderTableBox } from '../../../../client/chart/render-html-table.ts'
import { nameMoments } from '../../../../client/chart/time-ticks.ts'
import { renderCount } from '../../../../client/fleet/report/render-count.ts'
import { renderEnd, renderFarAway } from '../render/sentences.ts'
import { renderCounted, renderMoment } from '../render/words.ts'
import type { FleetSummary, MomentSummary } from '../summary/fleet-summary.ts'

/** When calls failed, and why, below all calls: on one scale a failure in a hundred calls could not be seen. */
export function renderTimeSection({ moments, causes }: FleetSummary): string {
  const { columns, stepMs } = moments
  if (columns.length === 0) return ''
  const farAway = renderFarAway(moments)
  const kinds = causes.map(({ cause }) => cause)
  const ticks = nameMoments(columns.map(({ at }) => at))
  const chart = renderColumns({
    label: 'Calls and failures over time',
    panels: [
      {
        ...{ title: 'calls', height: 70, renderValue: renderCount },
        parts: [{ className: 'calls', values: columns.map(({ calls }) => calls) }],
      },
      ...(kinds.length === 0
        ? []
        : [
            {
              ...{ title: 'failures, by cause', height: 190, renderValue: renderCount },
              parts: kinds.map((kind) => ({ className: kind, values: columns.map(({ failed }) => failed[kind] ?? 0) })),
            },
          ]),
    ],
    columns: columns.map((column, index) => ({ words: describeColumn(column, stepMs), tick: ticks[index] })),
  })
  const head = ['from (UTC)', '#calls', '#failed', ...kinds.map((kind) => `#${kind}`)]
  const rows = columns.map(({ at, calls, failed }) => [
    renderMoment(at),
    ...[calls, countFailed({ failed }), ...kinds.map((kind) => failed[kind] ?? 0)].map(renderCount),
  ])
  return `<section id="time"><h2>When</h2>
${renderLegend(kinds)}
<div class="scroll">${chart}</div>
<output class="detail" aria-live="polite">Point at a column, or go to one with Tab and the arrow keys, to read about it here. Times are in UTC.</output>
${farAway && `<p>Not drawn: ${farAway}.</p>`}
<details><summary>The same as a table</summary>${renderTableBox('Calls and failures over time', head, rows)}</details></section>`
}

function renderLegend(kinds: readonly string[]): string {
  const items = kinds.map(
    (kind) =>
      `<li><svg viewBox="0 0 16 16" aria-hidden="true"><rect class="${kind}" x="2" y="2" width="12" height="12" rx="2"/></svg>${kind}</li>`,
  )
  return `<ul class="legend" aria-label="legend">${items.join('')}</ul>`
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
