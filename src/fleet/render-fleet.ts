import type { Paint } from '../client/simulation/render-timeline.ts'
import { renewEarlyPercent } from '../contract/freshness.ts'
import { toOneLine } from '../runtime/failure.ts'
import { renderCount } from '../runtime/text/counted.ts'
import { renderDuration } from '../runtime/values/duration.ts'
import { countMints, type Series, selectPeaks, waitStepsMs } from './fleet-result.ts'
import type { ComparedChoice } from './scenario/choice-keys.ts'
import {
  choiceNames,
  findSecondDayNote,
  type PlayedFleet,
  type SimulationSummary,
  summarizeFleet,
} from './summarize-fleet.ts'

/** Adds a remark to a percentage that is the default, or off, so that nobody takes a compared setting for the default. */
export function renderRenewEarly(percent: number): string {
  if (percent === 0) return '0 % (off)'
  return percent === renewEarlyPercent.default ? `${percent} % (default)` : `${percent} %`
}

/** Renders the life of a token: in minutes, or in seconds if it is not a whole number of minutes. */
export function renderLife(seconds: number): string {
  return seconds % 60 === 0 ? renderDuration(seconds) : `${seconds} s`
}

const names = {
  ttlSec: (value: number) => `ttlSec ${value}`,
  timeoutSec: (value: number) => `timeoutSec ${value}`,
  renewEarly: (value: number) => `renew-early ${renderRenewEarly(value)}`,
  tokenLifeSec: (value: number) => `tokens of ${renderLife(value)}`,
} as const satisfies Record<keyof ComparedChoice, (value: number) => string>

/** Describes a scenario in a line: its summary, the ttl, and the difference between two choices. */
export function describeScenario(summary: string, choices: readonly Partial<ComparedChoice>[]): string {
  const keys: readonly (keyof ComparedChoice)[] = ['ttlSec', 'timeoutSec', 'renewEarly', 'tokenLifeSec']
  const compared = keys.flatMap((key) => {
    const values = [...new Set(choices.map((choice) => choice[key]).filter((value) => value !== undefined))]
    return key === 'ttlSec' || values.length > 1 ? values.map(names[key]).join(' against ') : []
  })
  return [summary, ...compared].filter((words) => words !== '').join('; ')
}

/** Renders a fleet's day for a person: its numbers for each choice, side by side, and a drawing of its mints a second. */
export function renderFleet(fleet: PlayedFleet, columns: number, paint: Paint): string {
  const { name, summary, desktops, played } = fleet
  const drawings = renderSeries(
    played.map(({ result }) => countMints(result)),
    columns,
  )
  // Name and summary may come from a file.
  const title = toOneLine(`${renderCount(desktops)} desktops, ${name}${summary === '' ? '' : `: ${summary}`}`)
  const note = findSecondDayNote(played)
  const drawn = drawings.map(
    (drawing, index) => `\n${paint('strong', `mints a second, ${choiceNames[index]} (UTC)`)}\n${drawing}`,
  )
  const numbers = renderNumbers(played.map(summarizeFleet), paint)
  return `${paint('strong', title)}\n\n${numbers}${note === undefined ? '' : `\n${note}\n`}${drawn.join('')}`
}

/** Renders the rows of the table: a name, and the value under each choice. */
export function renderFleetRows(summaries: readonly SimulationSummary[]): [name: string, ...values: string[]][] {
  return rows.map(([name, render]) => [name, ...summaries.map(render)])
}

const rows: readonly [name: string, render: (summary: SimulationSummary) => string][] = [
  ['ttlSec', ({ choice }) => String(choice.ttlSec)],
  ['timeoutSec', ({ choice }) => String(choice.timeoutSec)],
  ['renew-early', ({ choice }) => renderRenewEarly(choice.renewEarly)],
  ['life of a token', ({ choice }) => renderLife(choice.tokenLifeSec)],
  ['', () => ''],
  ['mints', ({ mints }) => renderCount(mints.all)],
  ['  no good token', ({ mints }) => renderCount(mints.first)],
  ['  renewed in time', ({ mints }) => renderCount(mints.renewal)],
  ['  after a refusal', ({ mints }) => renderCount(mints.refusal)],
  ['most mints in a second', ({ mintPeak }) => renderPeak(mintPeak)],
  ['requests to the provider', ({ requests }) => renderCount(requests.all)],
  ['  answered 429', ({ requests }) => renderCount(requests.throttled)],
  ['  that reached nobody', ({ requests }) => renderCount(requests.unreachable)],
  ['  answered too late', ({ requests }) => renderCount(requests.late)],
  ['most requests in a second', ({ requestPeak }) => renderPeak(requestPeak)],
  ['', () => ''],
  ['turns', ({ turns }) => renderCount(turns.all)],
  ['  rescued after a 401', ({ turns }) => renderCount(turns.rescued)],
  ['  lost', ({ turns }) => renderCount(turns.lost)],
  [`  waited more than ${waitStepsMs[0]} ms`, ({ waits }) => renderCount(waits.waited)],
  ['half of the turns at most', (summary) => renderBound(summary, 'p50Ms')],
  ['95 of 100 at most', (summary) => renderBound(summary, 'p95Ms')],
  ['99 of 100 at most', (summary) => renderBound(summary, 'p99Ms')],
  ['all of them at most', (summary) => renderBound(summary, 'longestMs')],
]

function renderPeak({ perSec, at }: SimulationSummary['mintPeak']): string {
  return perSec === 0 ? '0' : `${renderCount(perSec)} at ${at} UTC`
}

function renderBound({ turns, waits }: SimulationSummary, bound: 'p50Ms' | 'p95Ms' | 'p99Ms' | 'longestMs'): string {
  return turns.all === 0 ? '-' : renderWait(waits[bound])
}

/** Renders the upper end of a step of waiting times. */
export function renderWait(ms: number | undefined): string {
  if (ms === undefined) return 'beyond 5 min'
  return ms < 1000 ? `${ms} ms` : renderDuration(ms / 1000)
}

const rowsOfDrawing = 6

/** The possible numbers of minutes for a column. */
const columnMinutes = [5, 10, 15, 20, 30, 60, 120] as const

const blocks = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const

/**
 * Draws each series with block characters, all on the scale of the largest. The height of a column is the busiest second of its minutes.
 */
function renderSeries(all: readonly Series[], columns: number): string[] {
  const most = Math.max(1, ...all.flatMap((series) => series.reduce((a, b) => Math.max(a, b), 0)))
  const margin = renderCount(most).length + 2
  const minutes = columnMinutes.find((each) => 1440 / each <= columns - margin) ?? 120
  return all.map((series) => {
    const peaks = selectPeaks(series, minutes * 60)
    const lines = Array.from({ length: rowsOfDrawing }, (_, row) => renderRow(peaks, most, rowsOfDrawing - 1 - row))
    const labels = [renderCount(most), ...Array.from({ length: rowsOfDrawing - 1 }, () => '')]
    const drawn = lines.map((line, row) => `${(labels[row] ?? '').padStart(margin - 2)} │${line}`.trimEnd())
    return `${[...drawn, renderAxis(minutes, margin)].join('\n')}\n`
  })
}

function renderNumbers(summaries: readonly SimulationSummary[], paint: Paint): string {
  const header = ['', ...choiceNames.slice(0, summaries.length)] as const
  const table: (readonly string[])[] = [header, ...renderFleetRows(summaries)]
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart((widths[column] ?? 0) + 3)))
      .join('')
      .trimEnd()
  return table
    .map((row) =>
      row[0] === '  lost' && row.slice(1).some((value) => value !== '0') ? paint('bad', line(row)) : line(row),
    )
    .map((text, index) => `${index === 0 ? paint('strong', text) : text}\n`)
    .join('')
}

/** Draws one line; `row` counts from the bottom. A number above zero is always visible in the lowest line. */
function renderRow(peaks: readonly number[], most: number, row: number): string {
  return peaks
    .map((peak) => {
      const eighths = peak === 0 ? 0 : Math.max(1, Math.round((peak / most) * rowsOfDrawing * 8))
      return blocks[Math.min(8, Math.max(0, eighths - row * 8))]
    })
    .join('')
}

/** Draws the hours below the drawing, each where it begins. */
function renderAxis(minutes: number, margin: number): string {
  const everyHours = minutes <= 20 ? 3 : 6
  const width = (everyHours * 60) / minutes
  const hours = Array.from(
    { length: 24 / everyHours },
    (_, index) => `${String(index * everyHours).padStart(2, '0')}:00`,
  )
  return `${' '.repeat(margin)}${hours.map((hour) => hour.padEnd(width)).join('')}`.trimEnd()
}
