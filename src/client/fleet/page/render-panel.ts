import { escapeHtml } from '../../../runtime/escape-html.ts'
import { computeAxisEnd } from '../../chart/render-columns.ts'
import { renderCount } from '../report/render-count.ts'
import type { FleetPanel } from './fleet-panels.ts'

/** Where a chart lies in its drawing; the page's script places its cursor by the same numbers. */
export const panelSheet = { width: 1200, height: 190, left: 70, right: 10, top: 10, bottom: 26 } as const

const plotWidth = panelSheet.width - panelSheet.left - panelSheet.right
const floor = panelSheet.height - panelSheet.bottom

/** Draws a chart: the first choice as an area, the second as a dashed line, so that colour is not the only difference. */
export function renderPanel({ title, values }: FleetPanel): string {
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
