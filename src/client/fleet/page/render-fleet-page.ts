import { escapeHtml } from '../../../runtime/escape-html.ts'
import { renderHtmlPage } from '../../chart/render-html-page.ts'
import { type FleetResult, waitStepsMs } from '../fleet-result.ts'
import { computeSum } from '../report/fleet-series.ts'
import { choiceNames, type PlayedFleet } from '../report/played-choice.ts'
import { renderLife, renderRenewEarly } from '../report/render-choice.ts'
import { renderCount } from '../report/render-count.ts'
import { renderFleetRows, renderWait } from '../report/render-fleet.ts'
import { findSecondDayNote } from '../report/second-day.ts'
import { summarizeFleet } from '../report/summarize-fleet.ts'
import { fleetPageScript } from './fleet-page-script.ts'
import { fleetPageStyle } from './fleet-page-style.ts'
import { toFleetPanels } from './fleet-panels.ts'
import { renderPanel } from './render-panel.ts'

/** A fleet's day as one page: the numbers of the report, charts over the day, and how long turns waited. */
export function renderFleetPage({ name, summary, desktops, played }: PlayedFleet): string {
  const body = `<h1>${escapeHtml(name)}</h1>
<p>${renderCount(desktops)} desktops${summary === '' ? '' : `: ${escapeHtml(summary)}`}</p>
<p>Times are in UTC. ${findSecondDayNote(played) ?? ''}</p>
<ul class="legend" aria-label="legend">${played.map(renderLegend).join('')}</ul>
<div class="scroll">${toFleetPanels(played).map(renderPanel).join('\n')}</div>
<label class="minute">minute of the day<input id="minute" type="range" min="0" max="1439" value="540"></label>
<output id="detail" class="detail" aria-live="polite">Point at a chart, or go to the slider with Tab and move it with the arrow keys, to read the numbers of a minute here.</output>
<h2>The day in numbers</h2>
${renderNumbers(played.map(summarizeFleet))}
<h2>How long turns waited for a helper</h2>
${renderWaits(played.map(({ result }) => result.waits))}`
  return renderHtmlPage({
    title: name,
    command: 'gatepass simulate --fleet',
    style: fleetPageStyle,
    script: fleetPageScript,
    body,
  })
}

function renderLegend({ choice }: PlayedFleet['played'][number], index: number): string {
  const name = choiceNames[index]
  const shape =
    index === 0 ? '<rect class="choice-a" x="1" y="3" width="14" height="10"/>' : '<path class="choice-b" d="M0 8H16"/>'
  const words = `ttlSec ${choice.ttlSec}, renew-early ${renderRenewEarly(choice.renewEarly)}, tokens of ${renderLife(choice.tokenLifeSec)}`
  return `<li><svg viewBox="0 0 16 16" aria-hidden="true">${shape}</svg>${name}: ${words}</li>`
}

function renderNumbers(summaries: Parameters<typeof renderFleetRows>[0]): string {
  const head = ['', ...choiceNames.slice(0, summaries.length)].map((name) => `<th>${name}</th>`).join('')
  const rows = renderFleetRows(summaries).filter(([name]) => name !== '')
  const lines = rows.map((row) => {
    const isBad = row[0] === '  lost' && row.slice(1).some((value) => value !== '0')
    return `<tr${isBad ? ' class="lost"' : ''}>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`
  })
  return `<div class="scroll"><table class="numbers"><thead><tr>${head}</tr></thead><tbody>${lines.join('\n')}</tbody></table></div>`
}

/** A row for each step of waiting: how many turns waited so long, and their part of those that waited. */
function renderWaits(waits: readonly FleetResult['waits'][]): string {
  const totals = waits.map((counts) => Math.max(1, computeSum(counts)))
  const head = waits.map((_, index) => `<th>${choiceNames[index]}</th><th></th>`).join('')
  const rows = [...waitStepsMs, undefined].map((step, index) => {
    const cells = waits.map((counts, choice) => renderPart(counts[index] ?? 0, totals[choice] ?? 1))
    return `<tr><td>${step === undefined ? 'longer' : `up to ${renderWait(step)}`}</td>${cells.join('')}</tr>`
  })
  return `<div class="scroll"><table class="waits"><thead><tr><th>waited</th>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

function renderPart(turns: number, all: number): string {
  return `<td>${renderCount(turns)}</td><td><meter value="${turns}" max="${all}" aria-hidden="true"></meter></td>`
}
