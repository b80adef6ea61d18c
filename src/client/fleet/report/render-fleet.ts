import { toOneLine } from '../../../runtime/failure.ts'
import { renderDuration } from '../../duration.ts'
import type { Paint } from '../../timeline/render-timeline.ts'
import { waitStepsMs } from '../fleet-result.ts'
import { countMints } from './fleet-series.ts'
import { choiceNames, type PlayedFleet } from './played-choice.ts'
import { renderLife, renderRenewEarly } from './render-choice.ts'
import { renderCount } from './render-count.ts'
import { renderSeries } from './render-series.ts'
import { findSecondDayNote } from './second-day.ts'
import { type FleetSummary, summarizeFleet } from './summarize-fleet.ts'

/** A fleet's day for a person: its numbers for each choice, side by side, and its mints a second, drawn. */
export function renderFleet(fleet: PlayedFleet, columns: number, paint: Paint): string {
  const { name, summary, desktops, played } = fleet
  const drawings = renderSeries(
    played.map(({ result }) => countMints(result)),
    columns,
  )
  // Both may be those of a file.
  const title = toOneLine(`${renderCount(desktops)} desktops, ${name}${summary === '' ? '' : `: ${summary}`}`)
  const note = findSecondDayNote(played)
  const drawn = drawings.map(
    (drawing, index) => `\n${paint('strong', `mints a second, ${choiceNames[index]} (UTC)`)}\n${drawing}`,
  )
  const numbers = renderNumbers(played.map(summarizeFleet), paint)
  return `${paint('strong', title)}\n\n${numbers}${note === undefined ? '' : `\n${note}\n`}${drawn.join('')}`
}

/** The rows of the table, for people: what it is, and its value under each choice. */
export function renderFleetRows(summaries: readonly FleetSummary[]): [name: string, ...values: string[]][] {
  return rows.map(([name, render]) => [name, ...summaries.map(render)])
}

const rows: readonly [name: string, render: (summary: FleetSummary) => string][] = [
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

function renderNumbers(summaries: readonly FleetSummary[], paint: Paint): string {
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

function renderPeak({ perSec, at }: FleetSummary['mintPeak']): string {
  return perSec === 0 ? '0' : `${renderCount(perSec)} at ${at} UTC`
}

function renderBound({ turns, waits }: FleetSummary, bound: 'p50Ms' | 'p95Ms' | 'p99Ms' | 'longestMs'): string {
  return turns.all === 0 ? '-' : renderWait(waits[bound])
}

/** The upper end of a step of waiting in words. */
export function renderWait(ms: number | undefined): string {
  if (ms === undefined) return 'beyond 5 min'
  return ms < 1000 ? `${ms} ms` : renderDuration(ms / 1000)
}
