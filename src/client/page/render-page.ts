import { escapeHtml } from '../../runtime/escape-html.ts'
import { markScript } from '../chart/mark-script.ts'
import { renderHtmlPage } from '../chart/render-html-page.ts'
import { describeSimulationEvent, renderSummary, renderWindowName } from '../simulation/report/render-simulation.ts'
import { summarize } from '../simulation/report/summarize.ts'
import type { SimulationEvent } from '../simulation/simulation-event.ts'
import { renderTime } from '../timeline/render-timeline.ts'
import type { Tone } from './layout.ts'
import { pageStyle } from './page-style.ts'
import { markShapes, renderSvg } from './render-svg.ts'
import { toLayout } from './to-layout.ts'

/** A simulation as a page. */
export interface Page {
  /** The scenario's name and what it is about. */
  readonly title: string
  readonly summary: string
  readonly events: readonly SimulationEvent[]
}

/** The page, whose text is all in it. */
export function renderPage({ title, summary, events }: Page): string {
  const body = `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(summary)}</p>
<dl>${renderNumbers(events)}</dl>
<ul class="legend" aria-label="legend">${legend.map(renderLegend).join('')}</ul>
<div class="scroll">${renderSvg(toLayout(events))}</div>
<output id="detail" class="detail" aria-live="polite">Point at a mark, or go to one with Tab and the arrow keys to read about it here.</output>
<details><summary>All ${events.length} events</summary>${renderTable(events)}</details>`
  return renderHtmlPage({ title, command: 'gatepass simulate', style: pageStyle, script: markScript, body })
}

const legend: readonly [Tone, string][] = [
  ['good', 'as it should be'],
  ['caution', 'a person waited, or was asked'],
  ['bad', 'failed, refused or lost'],
  ['neutral', 'other events'],
]

function renderLegend([tone, words]: [Tone, string]): string {
  return `<li><svg viewBox="0 0 16 16" aria-hidden="true" class="${tone}">${markShapes[tone](8, 8)}</svg>${words}</li>`
}

/** The same summary as on a terminal. */
function renderNumbers(events: readonly SimulationEvent[]): string {
  const rows = renderSummary(summarize(events), (_, text) => text)
    .trimEnd()
    .split('\n')
  return rows
    .map((row) => row.split(/:\s*/, 2))
    .map(([name = '', value = '']) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`)
    .join('')
}

function renderTable(events: readonly SimulationEvent[]): string {
  const rows = events.map((event) => {
    const window = 'session' in event && event.session !== undefined ? renderWindowName(event.session) : ''
    const words = describeSimulationEvent(event, (_, text) => text)
    return `<tr><td>${renderTime(event.at)}</td><td>${window}</td><td>${escapeHtml(words)}</td></tr>`
  })
  return `<table><thead><tr><th>time (UTC)</th><th>window</th><th>event</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`
}
