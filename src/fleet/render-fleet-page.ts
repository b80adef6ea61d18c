import { computeAxisEnd } from '../client/page/render-columns.ts'
import { renderHtmlPage } from '../client/page/render-html-page.ts'
import { escapeHtml } from '../runtime/text/escape.ts'
import { type FleetResult, waitStepsMs } from './fleet-result.ts'
import {
  computeSum,
  countLost,
  countMints,
  joinSeries,
  type Series,
  selectPeaks,
  summarizeSeries,
} from './fleet-series.ts'
import { renderCount } from './render-count.ts'
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
<section>
<h2>The day, minute by minute</h2>
<div class="scroll">${toFleetPanels(played).map(renderPanel).join('\n')}</div>
<label class="minute">minute of the day<input id="minute" type="range" min="0" max="1439" value="540"></label>
<output id="detail" class="detail" aria-live="polite">Point at a chart, or go to the slider with Tab and move it with the arrow keys, to read the numbers of a minute here.</output>
</section>`
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

/** Renders a row for each step of waiting: how many turns waited so long, and their share of the turns that waited. */
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

/** One chart of a day: for each choice, a number for each minute. */
interface FleetPanel {
  readonly title: string
  readonly values: readonly (readonly number[])[]
}

/** Converts a day to its charts, without those that would be empty; the first is always there. */
function toFleetPanels(played: readonly PlayedChoice[]): FleetPanel[] {
  const most = (title: string, select: (one: PlayedChoice) => Series) => ({
    title,
    values: played.map((one) => selectPeaks(select(one), 60)),
  })
  const sums = (title: string, select: (one: PlayedChoice) => Series) => ({
    title,
    values: played.map((one) => summarizeSeries(select(one), 60)),
  })
  const [first, ...others] = [
    most('mints in the busiest second of a minute', ({ result }) => countMints(result)),
    most('requests to the provider in that second', ({ result }) => result.requests),
    sums('requests answered 429, a minute', ({ result }) => result.throttled),
    sums('requests that reached nobody or were answered too late, a minute', ({ result }) =>
      joinSeries(result.unreachable, result.late),
    ),
    sums('turns rescued after a 401, a minute', ({ result }) => result.rescued),
    sums('turns lost, a minute', ({ result }) => countLost(result)),
    sums('turns, a minute', ({ result }) => result.turns),
  ]
  return [first!, ...others.filter(({ values }) => values.some((numbers) => numbers.some((number) => number > 0)))]
}

/** The position of a chart in its drawing; the page's script uses the same numbers for its cursor. */
const panelSheet = { width: 1200, height: 190, left: 70, right: 10, top: 10, bottom: 26 } as const

const plotWidth = panelSheet.width - panelSheet.left - panelSheet.right
const floor = panelSheet.height - panelSheet.bottom

/** Draws a chart: the first choice as an area, the second as a dashed line, so that colour is not the only difference. */
function renderPanel({ title, values }: FleetPanel): string {
  const top = computeAxisEnd(values.flat().reduce((most, value) => Math.max(most, value), 0))
  const lines = values.map((numbers, index) => renderCurve(numbers, top, index === 0 ? 'area' : 'line'))
  return `<figure>
<figcaption>${escapeHtml(title)}</figcaption>
<svg class="panel" viewBox="0 0 ${panelSheet.width} ${panelSheet.height}" role="img" aria-label="${escapeHtml(title)}" data-title="${escapeHtml(title)}" data-values="${escapeHtml(JSON.stringify(values))}">
${[0, top / 2, top].map((value) => renderLevel(value, top)).join('\n')}
${[0, 3, 6, 9, 12, 15, 18, 21, 24].map(renderHour).join('\n')}
${lines.join('\n')}
<line class="cursor" y1="${panelSheet.top}" y2="${floor}" visibility="hidden"/>
</svg>
</figure>`
}

function renderCurve(numbers: readonly number[], top: number, form: 'area' | 'line'): string {
  const points = numbers.map((value, minute) => `${round(toX(minute, numbers.length))} ${round(toY(value, top))}`)
  if (form === 'line') return `<path class="choice-b" d="M${points.join('L')}"/>`
  return `<path class="choice-a" d="M${panelSheet.left} ${floor}L${points.join('L')}L${round(toX(numbers.length, numbers.length))} ${floor}Z"/>`
}

function toX(minute: number, minutes: number): number {
  return panelSheet.left + (plotWidth * minute) / minutes
}

function toY(value: number, top: number): number {
  return floor - ((floor - panelSheet.top) * value) / top
}

function renderLevel(value: number, top: number): string {
  const y = round(toY(value, top))
  return `<line class="rule" x1="${panelSheet.left}" x2="${panelSheet.width - panelSheet.right}" y1="${y}" y2="${y}"/><text class="label" x="${panelSheet.left - 8}" y="${y + 4}">${renderCount(value)}</text>`
}

function renderHour(hour: number): string {
  const x = round(toX(hour, 24))
  const last = hour === 24 ? ' class="last"' : ''
  return `<g class="tick"><line x1="${x}" x2="${x}" y1="${floor}" y2="${floor + 5}"/><text x="${x}" y="${panelSheet.height - 6}"${last}>${String(hour).padStart(2, '0')}:00</text></g>`
}

function round(x: number): number {
  return Math.round(x * 10) / 10
}

/** Shows the numbers of one minute: the minute under the pointer, or that of the slider, which arrow keys move. */
const fleetPageScript = `
const sheet = ${JSON.stringify(panelSheet)}
const detail = document.getElementById('detail'), slider = document.getElementById('minute')
const panels = [...document.querySelectorAll('.panel')].map(svg => ({ svg, title: svg.dataset.title, values: JSON.parse(svg.dataset.values) }))
const clock = minute => String(Math.floor(minute / 60)).padStart(2, '0') + ':' + String(minute % 60).padStart(2, '0')
const count = number => String(number).replace(/\\B(?=(\\d{3})+$)/g, ',')
const show = minute => {
  slider.value = minute
  slider.setAttribute('aria-valuetext', clock(minute) + ' UTC')
  const x = sheet.left + (sheet.width - sheet.left - sheet.right) * (minute + .5) / 1440
  const lines = panels.map(({ svg, title, values }) => {
    const cursor = svg.querySelector('.cursor')
    cursor.setAttribute('x1', x)
    cursor.setAttribute('x2', x)
    cursor.setAttribute('visibility', 'visible')
    return title + ': ' + values.map((numbers, index) => 'AB'[index] + ' ' + count(numbers[minute])).join(', ')
  })
  detail.textContent = [clock(minute) + ' UTC', ...lines].join('\\n')
}
slider.addEventListener('input', () => show(Number(slider.value)))
slider.addEventListener('focus', () => show(Number(slider.value)))
for (const { svg } of panels) svg.addEventListener('pointermove', event => {
  const box = svg.getBoundingClientRect()
  const x = (event.clientX - box.x) / box.width * sheet.width
  const minute = Math.floor((x - sheet.left) / (sheet.width - sheet.left - sheet.right) * 1440)
  if (minute >= 0 && minute < 1440) show(minute)
})
`

/** The style of the parts that only this page has. */
const fleetPageStyle = `
h2 { font-size: 16px; margin: 20px 0 6px; }
figure { margin: 0 0 14px; min-width: 860px; }
figcaption { font-size: 13px; color: var(--quiet); margin: 0 0 2px; }
.panel { display: block; width: 100%; cursor: crosshair; }
.choice-a { fill: var(--neutral); fill-opacity: .45; stroke: var(--neutral); stroke-width: 1; }
.choice-b { fill: none; stroke: var(--caution); stroke-width: 2; stroke-dasharray: 5 3; }
.cursor { stroke: var(--ink); stroke-width: 1; }
.tick text.last { text-anchor: end; }
.minute { display: block; margin: 0 0 4px; font-size: 13px; color: var(--quiet); }
.minute input { display: block; width: 100%; margin: 2px 0 0; accent-color: var(--neutral); }
.detail { position: sticky; bottom: 0; min-height: 3em; }
.numbers td:not(:first-child), .numbers th:not(:first-child) { text-align: right; padding-left: 24px; }
.numbers td, .waits td { white-space: pre; }
.lost td { color: var(--bad); font-weight: 600; }
.waits meter { width: min(180px, 20vw); height: 12px; }
@media (max-width: 600px) {
  .numbers td { white-space: pre-wrap; } .numbers td:not(:first-child), .numbers th:not(:first-child) { padding: 2px 0 2px 10px; }
  .waits td { padding-right: 8px; } .waits meter { width: 36px; }
}
`
