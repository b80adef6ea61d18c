import { escapeHtml } from '../../runtime/text/escape.ts'
import { programName } from '../../version.ts'
import { describeSimulationEvent, renderSummary, renderWindowName } from '../simulation/render-simulation.ts'
import { renderTime, type Tone } from '../simulation/render-timeline.ts'
import type { SimulationEvent } from '../simulation/simulation-event.ts'
import { describeConclusions, renderVerdict, type Summary, summarize } from '../simulation/summarize-simulation.ts'
import { markScript, renderHtmlPage } from './render-html-page.ts'
import { type Layout, type Mark, toLayout } from './to-layout.ts'

/** Renders the page: first the subject and the verdict, then the numbers, the timeline and a table of all events. */
export function renderSimulationPage({ subject, scenario, summary, events }: SimulationPage): string {
  const numbers = summarize(events)
  const look = numbers.lostTurns + numbers.lostToSimulation > 0 ? 'failing' : 'well'
  const body = `<h1 class="subject">${escapeHtml(subject)}</h1>
<p class="headline ${look}">${escapeHtml(renderVerdict(numbers))}</p>
<p>Scenario ${escapeHtml(summary === '' ? scenario : `${scenario}: ${summary}`)}</p>
<dl>${listNumbers(numbers).map(renderNumber).join('')}</dl>
${describeConclusions(events)
  .map((words) => `<p>${escapeHtml(words)}</p>\n`)
  .join('')}${renderDrawing(events)}
<details><summary>All ${events.length} events</summary><div class="scroll">${renderTable(events)}</div></details>`
  const title = `${subject}, ${scenario}`
  return renderHtmlPage({ title, command: `${programName} simulate`, style: drawingStyle, script: markScript, body })
}

interface SimulationPage {
  /** The simulated document, or the helper or sign-in that was simulated without one. */
  readonly subject: string
  /** The scenario's name and its summary. */
  readonly scenario: string
  readonly summary: string
  readonly events: readonly SimulationEvent[]
}

/**
 * Renders the timeline with its legend, and the element in which {@link markScript} describes a mark: HTML in which every foreign text is
 * escaped.
 */
export function renderDrawing(events: readonly SimulationEvent[]): string {
  return `<ul class="legend" aria-label="legend">${legend.map(renderLegend).join('')}</ul>
<div class="scroll">${renderSvg(toLayout(events))}</div>
<output id="detail" class="detail" aria-live="polite">Point at a mark, or go to one with Tab and the arrow keys to read about it here.</output>`
}

/** The style of {@link renderDrawing}, beside that of every page. */
export const drawingStyle = `
.mark text { font-size: 11px; }
.mark > rect[rx] { fill-opacity: .75; }
#detail { min-height: 4.5em; }
`

const legend: readonly [Tone, string][] = [
  ['good', 'as it should be'],
  ['caution', 'a person waited, or was asked'],
  ['bad', 'failed, refused or lost'],
  ['neutral', 'other events'],
]

function renderLegend([tone, words]: [Tone, string]): string {
  return `<li><svg viewBox="0 0 16 16" aria-hidden="true" class="${tone}">${markShapes[tone](8, 8)}</svg>${words}</li>`
}

/** Lists the numbers of the terminal's summary, with their names. */
export function listNumbers(numbers: Summary): { readonly name: string; readonly value: string }[] {
  const rows = renderSummary(numbers, (_, text) => text)
    .trimEnd()
    .split('\n')
  return rows.map((row) => row.split(/:\s*/, 2)).map(([name = '', value = '']) => ({ name, value }))
}

function renderNumber({ name, value }: { readonly name: string; readonly value: string }): string {
  return `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`
}

function renderTable(events: readonly SimulationEvent[]): string {
  const rows = events.map((event) => {
    const window = 'session' in event && event.session !== undefined ? renderWindowName(event.session) : ''
    const words = describeSimulationEvent(event, (_, text) => text)
    return `<tr><td>${renderTime(event.at)}</td><td>${window}</td><td>${escapeHtml(words)}</td></tr>`
  })
  return `<table><thead><tr><th>time (UTC)</th><th>window</th><th>event</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`
}

const sheet = { width: 1200, labels: 100, right: 24, top: 34, lane: 30 } as const

/** Marks at a smaller distance would overlap. */
const minDistance = 7

/** Draws the lanes. Every mark contains its text, for a pointer, the keyboard and a screen reader. */
function renderSvg(layout: Layout): string {
  const height = sheet.top + layout.lanes.length * sheet.lane + 6
  const toX = createScale(layout)
  const lanes = layout.lanes.map(({ name, marks }, index) => {
    const y = sheet.top + (index + 0.5) * sheet.lane
    const drawn = mergeMarks(marks, toX).map((mark) => renderMark(mark, toX, y))
    return `<g class="lane" role="list" aria-label="${escapeHtml(name)}">
<text class="label" x="${sheet.labels - 12}" y="${y + 4}">${escapeHtml(name)}</text>
<line class="rule" x1="${sheet.labels}" x2="${sheet.width - sheet.right}" y1="${y}" y2="${y}"/>
${drawn.join('\n')}
</g>`
  })
  return `<svg viewBox="0 0 ${sheet.width} ${height}" role="group" aria-label="timeline">
<title>timeline</title>
${listTicks(layout)
  .map((at) => renderTick(at, toX(at), height))
  .join('\n')}
${lanes.join('\n')}
</svg>`
}

type Scale = (at: number) => number

function createScale({ startAt, endAt }: Layout): Scale {
  const width = sheet.width - sheet.labels - sheet.right
  return (at) => sheet.labels + (width * (at - startAt)) / (endAt - startAt)
}

/** Joins marks that would overlap; the joined mark has the worst of their tones. */
function mergeMarks(marks: readonly Mark[], toX: Scale): Mark[] {
  const merged: Mark[] = []
  for (const mark of marks) {
    const last = merged.at(-1)
    const isNear = last && !last.untilAt && !mark.untilAt && toX(mark.at) - toX(last.at) < minDistance
    if (!isNear) merged.push(mark)
    else {
      const tone = worst.indexOf(mark.tone) > worst.indexOf(last.tone) ? mark.tone : last.tone
      const runs = (last.runs ?? 0) + (mark.runs ?? 0)
      merged.splice(-1, 1, { at: last.at, tone, runs, lines: [...last.lines, ...mark.lines] })
    }
  }
  return merged
}

/** The most lines of a note; the table has all of them. */
const maxNoteLines = 14

function renderMark({ at, untilAt, tone, runs = 0, lines }: Mark, toX: Scale, y: number): string {
  const more = lines.length > maxNoteLines ? [`and ${lines.length - maxNoteLines} more`] : []
  const words = escapeHtml([...lines.slice(0, maxNoteLines), ...more].join('\n'))
  const shape = untilAt === undefined ? markShapes[tone](round(toX(at)), y) : renderBar(toX(at), toX(untilAt), y)
  const count = runs > 1 ? `<text x="${round(toX(at) + 7)}" y="${y - 5}">${runs}</text>` : ''
  return `<g class="mark ${tone}" role="listitem" tabindex="-1" aria-label="${words}"><title>${words}</title>${shape}${count}</g>`
}

/** Lists the labelled times of the axis: at most ten round ones. */
function listTicks({ startAt, endAt }: Layout): number[] {
  const steps = [10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 604_800].map((sec) => sec * 1000)
  const step = steps.find((ms) => (endAt - startAt) / ms <= 10) ?? 604_800_000
  const first = Math.ceil(startAt / step) * step
  return Array.from({ length: Math.floor((endAt - first) / step) + 1 }, (_, index) => first + index * step)
}

function renderTick(at: number, x: number, height: number): string {
  return `<g class="tick" aria-hidden="true"><line x1="${round(x)}" x2="${round(x)}" y1="22" y2="${height}"/><text x="${round(x)}" y="14">${renderTime(at).slice(0, 5)}</text></g>`
}

const worst: readonly Tone[] = ['neutral', 'good', 'caution', 'bad']

function renderBar(x: number, until: number, y: number): string {
  return `<rect x="${round(x)}" y="${y - 7}" width="${round(Math.max(3, until - x - 1))}" height="14" rx="3"/>`
}

/** Each tone has its own shape, so that colour is not the only difference. */
const markShapes: Readonly<Record<Tone, (x: number, y: number) => string>> = {
  good: (x, y) => `<circle cx="${x}" cy="${y}" r="4.5"/>`,
  neutral: (x, y) => `<rect x="${round(x - 4)}" y="${y - 4}" width="8" height="8"/>`,
  caution: (x, y) => `<path d="M${x} ${y - 6}L${round(x + 6)} ${y + 5}H${round(x - 6)}Z"/>`,
  bad: (x, y) => `<path d="M${round(x - 6)} ${y}L${x} ${y - 6}L${round(x + 6)} ${y}L${x} ${y + 6}Z"/>`,
}

function round(x: number): number {
  return Math.round(x * 10) / 10
}
