import { computeAxisEnd } from '../client/page/render-columns.ts'
import { renderCount } from '../runtime/text/counted.ts'
import { escapeHtml } from '../runtime/text/escape.ts'

/** One chart of a day: a number for each minute and series. */
export interface DayPanel {
  readonly title: string
  /** The names of the series, one for each list of values. */
  readonly names: readonly string[]
  readonly values: readonly (readonly number[])[]
}

/** Lists the charts without those that show only zeros; the first one stays in any case. */
export function listFilledPanels(panels: readonly DayPanel[]): DayPanel[] {
  return panels.filter(({ values }, index) => index === 0 || values.flat().some((number) => number > 0))
}

/** Renders the charts of a day, and the slider that shows the numbers of a minute. */
export function renderPanels(panels: readonly DayPanel[]): string {
  return `<section>
<h2>The day, minute by minute</h2>
<div class="scroll">${panels.map(renderPanel).join('\n')}</div>
<label class="minute">minute of the day<input id="minute" type="range" min="0" max="1439" value="540"></label>
<output id="detail" class="detail" aria-live="polite">Point at a chart, or go to the slider with Tab and move it with the arrow keys, to read the numbers of a minute here.</output>
</section>`
}

/** Renders the mark of a series in a legend. */
export function renderMark(index: number): string {
  const shape =
    index === 0
      ? '<rect class="choice-a" x="1" y="3" width="14" height="10"/>'
      : `<path class="${toClass(index)}" d="M0 8H16"/>`
  return `<svg viewBox="0 0 16 16" aria-hidden="true">${shape}</svg>`
}

/** The position of a chart in its drawing; the page's script uses the same numbers for its cursor. */
const panelSheet = { width: 1200, height: 190, left: 70, right: 10, top: 10, bottom: 26 } as const

const plotWidth = panelSheet.width - panelSheet.left - panelSheet.right
const floor = panelSheet.height - panelSheet.bottom

/** Draws a chart: the first series as an area, the others as lines with different dashes, so that colour is not the only difference. */
function renderPanel({ title, names, values }: DayPanel): string {
  const top = computeAxisEnd(values.flat().reduce((most, value) => Math.max(most, value), 0))
  const lines = values.map((numbers, index) => renderCurve(numbers, top, index))
  return `<figure>
<figcaption>${escapeHtml(title)}</figcaption>
<svg class="panel" viewBox="0 0 ${panelSheet.width} ${panelSheet.height}" role="img" aria-label="${escapeHtml(title)}" data-title="${escapeHtml(title)}" data-names="${escapeHtml(JSON.stringify(names))}" data-values="${escapeHtml(JSON.stringify(values))}">
${[0, top / 2, top].map((value) => renderLevel(value, top)).join('\n')}
${[0, 3, 6, 9, 12, 15, 18, 21, 24].map(renderHour).join('\n')}
${lines.join('\n')}
<line class="cursor" y1="${panelSheet.top}" y2="${floor}" visibility="hidden"/>
</svg>
</figure>`
}

function renderCurve(numbers: readonly number[], top: number, index: number): string {
  const points = numbers.map((value, minute) => `${round(toX(minute, numbers.length))} ${round(toY(value, top))}`)
  if (index > 0) return `<path class="${toClass(index)}" d="M${points.join('L')}"/>`
  return `<path class="${toClass(0)}" d="M${panelSheet.left} ${floor}L${points.join('L')}L${round(toX(numbers.length, numbers.length))} ${floor}Z"/>`
}

/** Returns the style of a series; styles repeat after the sixth. */
function toClass(index: number): string {
  return `choice-${'abcdef'[index === 0 ? 0 : 1 + ((index - 1) % 5)]}`
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

/** Shows the numbers of one minute: the minute under the pointer, or that of the slider, which the arrow keys move. */
export const panelScript = `
const sheet = ${JSON.stringify(panelSheet)}
const detail = document.getElementById('detail'), slider = document.getElementById('minute')
const panels = [...document.querySelectorAll('.panel')].map(svg => ({ svg, title: svg.dataset.title, names: JSON.parse(svg.dataset.names), values: JSON.parse(svg.dataset.values) }))
const clock = minute => String(Math.floor(minute / 60)).padStart(2, '0') + ':' + String(minute % 60).padStart(2, '0')
const count = number => String(number).replace(/\\B(?=(\\d{3})+$)/g, ',')
const show = minute => {
  slider.value = minute
  slider.setAttribute('aria-valuetext', clock(minute) + ' UTC')
  const x = sheet.left + (sheet.width - sheet.left - sheet.right) * (minute + .5) / 1440
  const lines = panels.map(({ svg, title, names, values }) => {
    const cursor = svg.querySelector('.cursor')
    cursor.setAttribute('x1', x)
    cursor.setAttribute('x2', x)
    cursor.setAttribute('visibility', 'visible')
    return title + ': ' + values.map((numbers, index) => names[index] + ' ' + count(numbers[minute])).join(', ')
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

/** The style of the charts and of their slider. */
export const panelStyle = `
figure { margin: 0 0 14px; min-width: 860px; }
figcaption { font-size: 13px; color: var(--quiet); margin: 0 0 2px; }
.panel { display: block; width: 100%; cursor: crosshair; }
.choice-a { fill: var(--neutral); fill-opacity: .45; stroke: var(--neutral); stroke-width: 1; }
.choice-b { fill: none; stroke: var(--caution); stroke-width: 2; stroke-dasharray: 5 3; }
.choice-c { fill: none; stroke: var(--bad); stroke-width: 2; }
.choice-d { fill: none; stroke: var(--good); stroke-width: 2; stroke-dasharray: 2 3; }
.choice-e { fill: none; stroke: var(--ink); stroke-width: 2; stroke-dasharray: 8 3 2 3; }
.choice-f { fill: none; stroke: var(--quiet); stroke-width: 2; stroke-dasharray: 12 4; }
.cursor { stroke: var(--ink); stroke-width: 1; }
.tick text.last { text-anchor: end; }
.minute { display: block; margin: 0 0 4px; font-size: 13px; color: var(--quiet); }
.minute input { display: block; width: 100%; margin: 2px 0 0; accent-color: var(--neutral); }
.detail { position: sticky; bottom: 0; min-height: 3em; }
`
