import { renderHtmlPage } from '../client/page/render-html-page.ts'
import { renderNumbersTable } from '../client/page/render-html-table.ts'
import { renderCount } from '../runtime/text/counted.ts'
import { escapeHtml } from '../runtime/text/escape.ts'
import { programName } from '../version.ts'
import { type DayPanel, listFilledPanels, panelScript, panelStyle, renderMark, renderPanels } from './day-panels.ts'
import {
  computeSum,
  countLost,
  countMints,
  type FleetResult,
  mergeSeries,
  type Series,
  selectPeaks,
  summarizeMinutes,
  waitStepsMs,
} from './fleet-result.ts'
import { renderFleetRows, renderLife, renderRenewEarly, renderWait } from './render-fleet.ts'
import {
  choiceNames,
  findSecondDayNote,
  type PlayedChoice,
  type PlayedFleet,
  summarizeFleet,
} from './summarize-fleet.ts'

/** Renders a fleet's day as one page: its numbers, how long turns waited, and charts over the day. */
export function renderFleetPage({ name, summary, desktops, played }: PlayedFleet): string {
  const body = `<h1>${escapeHtml(name)}</h1>
<p>${renderCount(desktops)} desktops${summary === '' ? '' : `: ${escapeHtml(summary)}`}</p>
<p>Times are in UTC. ${findSecondDayNote(played) ?? ''}</p>
<ul class="legend" aria-label="legend">${played.map(renderLegend).join('')}</ul>
<h2>The day in numbers</h2>
${renderNumbers(played.map(summarizeFleet))}
<h2>How long turns waited for a helper</h2>
${renderWaits(played.map(({ result }) => result.waits))}
${renderPanels(toFleetPanels(played))}`
  return renderHtmlPage({
    title: name,
    command: `${programName} simulate --fleet`,
    style: fleetPageStyle,
    script: panelScript,
    body,
  })
}

function renderLegend({ choice }: PlayedFleet['played'][number], index: number): string {
  const name = choiceNames[index]
  const words = `ttlSec ${choice.ttlSec}, renew-early ${renderRenewEarly(choice.renewEarly)}, tokens of ${renderLife(choice.tokenLifeSec)}`
  return `<li>${renderMark(index)}${name}: ${words}</li>`
}

function renderNumbers(summaries: Parameters<typeof renderFleetRows>[0]): string {
  const head = ['', ...choiceNames.slice(0, summaries.length)].map((name) => `<th>${name}</th>`).join('')
  const rows = renderFleetRows(summaries).filter(([name]) => name !== '')
  const lines = rows.map((row) => {
    const isBad = row[0] === '  lost' && row.slice(1).some((value) => value !== '0')
    return `<tr${isBad ? ' class="lost"' : ''}>${row.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`
  })
  return renderNumbersTable(head, lines)
}

/** Renders a row for each step of waiting: the number of turns, and their share of the turns that waited. */
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

/** Lists the charts of a day, without empty ones; the first is always there. */
function toFleetPanels(played: readonly PlayedChoice[]): DayPanel[] {
  const names = choiceNames.slice(0, played.length)
  const by = (summarize: (series: Series) => number[]) => (title: string, select: (one: PlayedChoice) => Series) => ({
    title,
    names,
    values: played.map((one) => summarize(select(one))),
  })
  const most = by((series) => selectPeaks(series, 60))
  const sums = by(summarizeMinutes)
  return listFilledPanels([
    most('mints in the busiest second of a minute', ({ result }) => countMints(result)),
    most('requests to the provider in that second', ({ result }) => result.requests),
    sums('requests answered 429, a minute', ({ result }) => result.throttled),
    sums('requests that reached nobody or were answered too late, a minute', ({ result }) =>
      mergeSeries(result.unreachable, result.late),
    ),
    sums('turns rescued after a 401, a minute', ({ result }) => result.rescued),
    sums('turns lost, a minute', ({ result }) => countLost(result)),
    sums('turns, a minute', ({ result }) => result.turns),
  ])
}

/** The style of the parts that only this page has. */
const fleetPageStyle = `${panelStyle}
h2 { font-size: 16px; margin: 20px 0 6px; }
.numbers td:not(:first-child), .numbers th:not(:first-child) { text-align: right; padding-left: 24px; }
.numbers td, .waits td { white-space: pre; }
.lost td { color: var(--bad); font-weight: 600; }
.waits meter { width: min(180px, 20vw); height: 12px; }
@media (max-width: 600px) {
  .numbers td { white-space: pre-wrap; } .numbers td:not(:first-child), .numbers th:not(:first-child) { padding: 2px 0 2px 10px; }
  .waits td { padding-right: 8px; } .waits meter { width: 36px; }
}
`
