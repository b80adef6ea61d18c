import { markScript } from '../../../../client/chart/mark-script.ts'
import { renderHtmlPage } from '../../../../client/chart/render-html-page.ts'
import { renderCount } from '../../../../client/fleet/report/render-count.ts'
import { escapeHtml } from '../../../../runtime/escape-html.ts'
import { renderHeadline } from '../render/sentences.ts'
import { renderMs, renderPeriod, renderShare } from '../render/words.ts'
import type { FleetSummary } from '../summary/fleet-summary.ts'
import { filterScript } from './filter-script.ts'
import { renderCausesSection } from './render-causes-section.ts'
import { renderDurationsSection } from './render-durations-section.ts'
import { renderInputSection } from './render-input-section.ts'
import { renderMachinesSection } from './render-machines-section.ts'
import { renderTimeSection } from './render-time-section.ts'
import { renderVersionsSection } from './render-versions-section.ts'
import { reportStyle } from './report-style.ts'

/** The report as one page: first what is wrong, then when, where, how long, and who is behind. */
export function renderFleetPage(summary: FleetSummary): string {
  const { period } = summary
  const sections = [
    renderCausesSection(summary),
    renderTimeSection(summary),
    renderMachinesSection(summary),
    renderDurationsSection(summary),
    renderVersionsSection(summary),
    renderInputSection(summary),
  ]
  const body = `<header>${period ? renderHead(summary, period) : '<p class="headline">No call of a helper.</p>'}</header>
<main>${sections.join('\n')}</main>`
  const script = `${markScript}${filterScript}`
  return renderHtmlPage({
    title: 'Calls of helpers',
    command: 'gatepass fleet report',
    style: reportStyle,
    script,
    body,
  })
}

function renderHead(summary: FleetSummary, { from, to }: NonNullable<FleetSummary['period']>): string {
  const numbers = listNumbers(summary).map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  )
  return `
<h1>Calls of helpers, ${renderPeriod(from, to)}</h1>
<p class="headline ${summary.failed === 0 ? 'well' : 'failing'}">${escapeHtml(renderHeadline(summary))}.</p>
<dl>${numbers.join('')}</dl>
`
}

/** The few numbers that are compared from one week to the next. */
function listNumbers({
  calls,
  failed,
  machines,
  origins,
  behind,
  currentVersion,
  causes,
}: FleetSummary): [name: string, value: string][] {
  const find = (wanted: string) => origins.find(({ origin }) => origin === wanted)
  const [mint, cache] = [find('mint'), find('cache')]
  const late = causes.find(({ cause }) => cause === 'late')?.calls ?? 0
  return [
    ['calls', renderCount(calls)],
    ['failed', renderShare(failed, calls)],
    ['late', renderShare(late, calls)],
    ['machines', renderCount(machines.all)],
    ['still failing', renderCount(machines.stillFailing)],
    ['from the cache', renderShare(cache?.calls ?? 0, calls)],
    ['median mint', renderMs(mint?.p50)],
    ['p95 mint', renderMs(mint?.p95)],
    [`machines behind ${currentVersion}`, renderCount(behind.length)],
  ]
}
