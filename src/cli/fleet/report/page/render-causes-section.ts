import { renderHtmlTable } from '../../../../client/chart/render-html-table.ts'
import { renderBar, renderSparkline } from '../../../../client/chart/render-in-row.ts'
import { renderCount } from '../../../../client/fleet/report/render-count.ts'
import { renderCauseWhere, renderMostly, renderPeak } from '../render/sentences.ts'
import { causeTitles } from '../render/words.ts'
import type { CauseSummary, FleetSummary } from '../summary/fleet-summary.ts'

/** What fails, the most frequent cause first: how often, when, on how many machines, and whether these are few. */
export function renderCausesSection(summary: FleetSummary): string {
  const { causes } = summary
  if (causes.length === 0) return ''
  const head = ['cause', '#calls', '', 'over time', 'when', '#machines', 'spread', '#still failing', 'mostly']
  const most = Math.max(...causes.map(({ calls }) => calls))
  const rows = causes.map((cause) => [
    { html: renderCauseName(cause) },
    renderCount(cause.calls),
    { html: renderBar(cause.calls, most, cause.cause), className: 'drawn' },
    {
      html: renderSparkline(
        summary.moments.columns.map(({ failed }) => failed[cause.cause] ?? 0),
        cause.cause,
      ),
      className: 'drawn',
    },
    renderPeak(cause, summary),
    renderCount(cause.machines),
    renderCauseWhere(cause),
    renderCount(cause.stillFailing),
    renderMostly(cause),
  ])
  return `<section id="causes"><h2>What fails</h2>${renderHtmlTable('Failures by cause', head, rows)}</section>`
}

function renderCauseName({ cause, status }: CauseSummary): string {
  return `<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect class="${cause}" width="10" height="10" rx="2"/></svg>${cause} (${status})<small>${causeTitles[cause]}</small>`
}
