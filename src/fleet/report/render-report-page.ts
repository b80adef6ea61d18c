import { markScript, renderHtmlPage } from '../../client/page/render-html-page.ts'
import { renderBar, renderHtmlTable, renderSparkline, renderTableBox } from '../../client/page/render-html-table.ts'
import { renderCount } from '../../runtime/text/counted.ts'
import { escapeHtml } from '../../runtime/text/escape.ts'
import { programName } from '../../version.ts'
import type { CauseSummary, FleetSummary } from '../logs/fleet-summary.ts'
import { renderDurationsSection } from './render-durations-section.ts'
import { renderMachinesSection } from './render-machines-section.ts'
import { renderServedSection } from './render-served-section.ts'
import { renderTimeSection } from './render-time-section.ts'
import { renderVersionsSection } from './render-versions-section.ts'
import { renderCauseWhere, renderHeadline, renderInput, renderMostly, renderPeak } from './report-sentences.ts'
import { causeTitles, describeReason, renderKnownMs, renderPeriod, renderShare, renderSwatch } from './report-words.ts'

/**
 * Renders the report as one page: the problems, their times and machines, the durations of calls, the machines that are behind, and the
 * people by configuration.
 */
export function renderReportPage(summary: FleetSummary): string {
  const { period } = summary
  const sections = [
    renderCausesSection(summary),
    renderTimeSection(summary),
    renderMachinesSection(summary),
    renderDurationsSection(summary),
    renderVersionsSection(summary),
    renderServedSection(summary),
    renderInputSection(summary),
  ]
  const body = `<header>${period ? renderHead(summary, period) : '<p class="headline">No call of a helper.</p>'}</header>
<main>${sections.join('\n')}</main>`
  const script = `${markScript}${filterScript}`
  return renderHtmlPage({
    title: 'Calls of helpers',
    command: `${programName} fleet report`,
    style: reportStyle,
    script,
    body,
  })
}

/** Renders the causes of failures, most frequent first: how often, when, on how many machines, and whether these are few. */
function renderCausesSection(summary: FleetSummary): string {
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
  return `${renderSwatch(cause)}${cause} (${status})<small>${causeTitles[cause]}</small>`
}

const maxRows = 200

/** Renders the inputs, and the calls that the numbers above do not include. */
function renderInputSection({ input }: FleetSummary): string {
  const rows = input.troubles
    .slice(0, maxRows)
    .map(({ path, records, line, reason }) => [
      path,
      renderCount(records),
      line === undefined ? '' : renderCount(line),
      reason === undefined ? '' : describeReason(reason),
    ])
  const table = renderTableBox(
    'Files that could not be read, or not all of them',
    ['file', '#records not read', '#first in line', 'why'],
    rows,
  )
  return `<section id="input"><h2>What was read</h2><p>${escapeHtml(renderInput(input).trim())}</p>${rows.length === 0 ? '' : table}</section>`
}

/** Filters the machines by the typed part of a name, or shows only those that are still failing. */
const filterScript = `
const find = document.getElementById('find')
if (find) {
  const found = document.getElementById('found')
  const rows = [...document.querySelectorAll('#machines tbody tr')]
  const still = document.getElementById('still')
  const filter = () => {
    const wanted = find.value.trim().toLowerCase()
    let count = 0
    for (const row of rows) {
      const isStill = row.cells[row.cells.length - 1].className === 'still'
      row.hidden = (still.checked && !isStill) || !row.cells[0].textContent.toLowerCase().includes(wanted)
      if (!row.hidden) count += 1
    }
    found.textContent = count === rows.length ? '' : count + ' of ' + rows.length
  }
  find.addEventListener('input', filter)
  still.addEventListener('change', filter)
}
`

/** The style of the parts of this page alone: the colours of causes, versions and origins, and the tables. */
const reportStyle = `
:root { --unavailable: #c02638; --late: #c26a00; --refused: #8a3ab0; --sign-in-required: #2f62c4; --not-configured: #0b7a70;
  --usage: #667085; --bug: #1d2430; --unwritable: #7d5a00; --calls: #7a92c0;
  --version-0: #2f62c4; --version-1: #8fb0ea; --version-2: #d3b46a; --version-3: #c2803a; --version-4: #994f1e; --version-5: #5f3413; }
@media (prefers-color-scheme: dark) {
  :root { --unavailable: #ff6b7a; --late: #f0a63a; --refused: #c792ea; --sign-in-required: #79a7ff; --not-configured: #3fc7b8;
    --usage: #98a2b3; --bug: #f2f4f8; --unwritable: #d6b656; --calls: #5b719c;
    --version-0: #6f9cf5; --version-1: #41639f; --version-2: #c5a85a; --version-3: #d18b45; --version-4: #b3632f; --version-5: #8a5a35; }
}
.unavailable { fill: var(--unavailable); --own: var(--unavailable); } .late { fill: var(--late); --own: var(--late); }
.refused { fill: var(--refused); --own: var(--refused); } .usage { fill: var(--usage); --own: var(--usage); }
.sign-in-required { fill: var(--sign-in-required); --own: var(--sign-in-required); }
.not-configured { fill: var(--not-configured); --own: var(--not-configured); }
.bug { fill: var(--bug); --own: var(--bug); } .unwritable { fill: var(--unwritable); --own: var(--unwritable); }
.calls, .cache, .other { fill: var(--calls); } .mint { fill: var(--neutral); } .kept { fill: var(--caution); }
.failed, .failures { fill: var(--bad); }
.version-0 { fill: var(--version-0); } .version-1 { fill: var(--version-1); } .version-2 { fill: var(--version-2); }
.version-3 { fill: var(--version-3); } .version-4 { fill: var(--version-4); } .version-5 { fill: var(--version-5); }
h2 { font-size: 17px; margin: 28px 0 8px; padding-top: 14px; border-top: 1px solid var(--rule); }
small { display: block; color: var(--quiet); font-weight: 400; }
table { width: 100%; }
caption { text-align: left; color: var(--quiet); padding-bottom: 4px; }
caption span { position: sticky; left: 0; display: inline-block; max-width: calc(100vw - 72px); }
thead th { color: var(--quiet); font-weight: 500; white-space: nowrap; }
thead th, thead td { border-bottom: 1px solid var(--rule); }
tbody th { font-weight: 500; overflow-wrap: anywhere; }
#machines tbody th, #causes tbody th, #versions .box th, #served .box th, #input tbody th { min-width: 190px; } #versions > .beside > .scroll th { white-space: nowrap; }
#causes td:not(.number) { min-width: 125px; }
td, th { padding: 4px 14px 4px 0; }
tbody tr + tr > * { border-top: 1px solid var(--rule); }
.number { text-align: right; white-space: nowrap; }
.swatch { width: 11px; height: 11px; margin-right: 8px; vertical-align: -1px; }
#causes small { padding-left: 19px; }
.drawn { width: 120px; } .bar { display: block; width: 110px; height: 12px; margin-top: 3px; background: var(--panel); }
.sparkline { display: block; width: 130px; height: 22px; border-bottom: 1px solid var(--rule); }
.axis text { fill: var(--quiet); font-size: 11px; text-anchor: end; font-variant-numeric: tabular-nums; }
.axis .panel { fill: var(--ink); font-size: 12px; text-anchor: start; }
.mark.column > rect { stroke: none; } .mark .reach { fill: transparent; }
.mark.column:hover > .reach, .mark.column:focus > .reach { fill: var(--ink); fill-opacity: .08; stroke: var(--ink); stroke-width: 1; }
.box { max-height: 460px; overflow-y: auto; border: 1px solid var(--rule); border-radius: 4px; padding: 0 10px 6px; }
.box thead th { position: sticky; top: 0; background: var(--paper); padding-top: 8px; }
.box caption { padding-top: 6px; }
.box:focus-visible { outline: 2px solid var(--neutral); }
#machines caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.heat { text-align: right; padding-right: 8px; }
.shade-1 { background: color-mix(in srgb, var(--own) 8%, var(--paper)); } .shade-2 { background: color-mix(in srgb, var(--own) 15%, var(--paper)); }
.shade-3 { background: color-mix(in srgb, var(--own) 22%, var(--paper)); } .shade-4 { background: color-mix(in srgb, var(--own) 29%, var(--paper)); }
.shade-5 { background: color-mix(in srgb, var(--own) 36%, var(--paper)); }
.older { color: var(--caution); } .still { color: var(--bad); font-weight: 600; white-space: nowrap; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(430px, 100%), 1fr)); gap: 18px 36px; align-items: start; margin: 8px 0 16px; }
.beside > * { min-width: 0; }
@media (max-width: 800px) { .scroll > svg { min-width: 1200px; } }
@media print { .box { max-height: none; overflow: visible; background: none; border: 0; padding: 0; } .box thead th { position: static; } label { display: none; } }
input { font: inherit; padding: 3px 8px; background: var(--paper); color: var(--ink); border: 1px solid var(--quiet); border-radius: 4px; }
`

function renderHead(summary: FleetSummary, { from, to }: NonNullable<FleetSummary['period']>): string {
  const numbers = listNumbers(summary).map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  )
  return `
<h1 class="subject">Calls of helpers, ${renderPeriod(from, to)}</h1>
<p class="headline ${summary.failed === 0 ? 'well' : 'failing'}">${escapeHtml(renderHeadline(summary))}.</p>
<dl>${numbers.join('')}</dl>
`
}

/** Lists the numbers that people compare from week to week. */
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
    ['median mint', renderKnownMs(mint?.p50)],
    ['p95 mint', renderKnownMs(mint?.p95)],
    [`machines behind ${currentVersion}`, renderCount(behind.length)],
  ]
}
