import { markScript } from '../../../../client/chart/mark-script.ts'
import { renderHtmlPage } from '../../../../client/chart/render-html-page.ts'
import { escapeHtml } from '../../../../runtime/escape-html.ts'
import { renderHeadline } from '../render/sentences.ts'
import { renderCount, renderMs, renderPeriod, renderShare } from '../render/words.ts'
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
  const { period, calls, failed } = summary
  const sections = [
    renderCausesSection(summary),
    renderTimeSection(summary),
    renderMachinesSection(summary),
    renderDurationsSection(summary),
    renderVersionsSection(summary),
    renderInputSection(summary),
  ]
  const body = `<header>
<h1>Calls of helpers${period ? `, ${renderPeriod(period.from, period.to)}` : ''}</h1>
<p class="headline ${failed === 0 ? 'well' : 'failing'}">${calls === 0 ? 'No call of a helper.' : `${escapeHtml(renderHeadline(summary))}.`}</p>
<dl>${listNumbers(summary)
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`)
    .join('')}</dl>
</header>
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

/** The few numbers that are compared from one week to the next. */
function listNumbers({
  calls,
  failed,
  machines,
  services,
  behind,
  causes,
}: FleetSummary): [name: string, value: string][] {
  const find = (wanted: string) => services.find(({ service }) => service === wanted)
  const [mint, cache] = [find('mint'), find('cache')]
  const late = causes.find(({ cause }) => cause === 'late')?.calls ?? 0
  return [
    ['calls', renderCount(calls)],
    ['failed', renderShare(failed, calls)],
    ['late', renderShare(late, calls)],
    ['machines', renderCount(machines.all)],
    ['still failing', renderCount(machines.stillFailing)],
    ['from the cache', renderShare(cache?.calls ?? 0, calls)],
    ['a mint, half of them within', renderMs(mint?.p50)],
    ['95 % within', renderMs(mint?.p95)],
    ['machines behind the newest version', renderCount(behind.length)],
  ]
}
