import type { Paint } from '../../client/simulation/render-timeline.ts'
import { toOneLine } from '../../runtime/failure.ts'
import { renderCount } from '../../runtime/text/counted.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import type { BlockCause } from './configuration-day.ts'
import {
  type Blocked,
  type ConfigurationSummary,
  type PlayedConfiguration,
  summarizeConfiguration,
} from './summarize-configuration.ts'

/** Renders a fleet's day at its configuration server for a person: the answer first, then the numbers. */
export function renderConfiguration({ name, summary, desktops, result }: PlayedConfiguration, paint: Paint): string {
  const numbers = summarizeConfiguration(result)
  // The name and the summary may come from a file.
  const title = toOneLine(`${renderCount(desktops)} desktops, ${name}${summary === '' ? '' : `: ${summary}`}`)
  const sections = [
    `${describeRestart(numbers)}\n`,
    renderTable(listNumberRows(numbers), paint),
    renderTable(listBlockedRows(numbers), paint),
    renderTable(listMomentRows(numbers), paint),
  ]
  return `${paint('strong', title)}\n\n${sections.join('\n')}`
}

/** Answers the main question: how many people the restart after a changed document blocked, and for how long. */
export function describeRestart({ blockedByRestart, people }: ConfigurationSummary): string {
  const { people: blocked, halfAtMostMs, longestMs, togetherMs } = blockedByRestart
  const sentence = `The restart that follows a changed document blocked ${renderCount(blocked)} of ${renderCount(people)} people`
  if (blocked === 0) return `${sentence}.`
  return `${sentence}: half of them for at most ${renderWhole(halfAtMostMs)}, nobody for more than ${renderWhole(longestMs)}, all together for ${renderWhole(togetherMs)}.`
}

/** A row of a table: a name, and its values. The first row of a table is its head. */
export type TableRow = readonly [name: string, ...values: string[]]

/** Lists the requests, starts and lost turns of the counted day, as the rows of a table. */
export function listNumberRows({
  requests,
  requestPeak,
  starts,
  turns,
  lostTurns,
}: ConfigurationSummary): readonly TableRow[] {
  const peak = requestPeak.perSec === 0 ? '0' : `${renderCount(requestPeak.perSec)} at ${requestPeak.at} UTC`
  const all = Object.values(starts).reduce((sum, count) => sum + count, 0)
  return [
    ['', 'the day'],
    ['requests to the configuration server', renderCount(requests.all)],
    ['  answered with a document', renderCount(requests.document)],
    ['  answered 304', renderCount(requests.unchanged)],
    ['  that reached nobody', renderCount(requests.unreachable)],
    ['most requests in a second', peak],
    ['starts of clients', renderCount(all)],
    ['  in the morning', renderCount(starts.morning)],
    ['  by themselves, for a changed document', renderCount(starts['own-restart'])],
    ['  because the restart was enforced', renderCount(starts['enforced-restart'])],
    ['  by people for whom it did not work', renderCount(starts['not-working'])],
    ['turns', renderCount(turns)],
    ['  lost', renderCount(lostTurns)],
  ]
}

const causes: Readonly<Record<BlockCause, string>> = {
  'own-restart': 'while the client restarted by itself',
  'enforced-restart': 'by a restart that was enforced',
  'no-document': 'by a client without a document',
  'wrong-document': 'by a document with a wrong gateway',
}

/** Lists how many people each cause blocked, and for how long. */
export function listBlockedRows({ blocked }: ConfigurationSummary): readonly TableRow[] {
  return [
    ['blocked', 'people', 'half at most', '95 of 100', 'all at most', 'together'],
    ...Object.entries(causes).map(([cause, words]) => toBlockedRow(words, blocked[cause as BlockCause])),
  ]
}

function toBlockedRow(words: string, { people, ...times }: Blocked): TableRow {
  const { halfAtMostMs, p95AtMostMs, longestMs, togetherMs } = times
  if (people === 0) return [words, '0', '-', '-', '-', '-']
  return [words, renderCount(people), ...[halfAtMostMs, p95AtMostMs, longestMs, togetherMs].map(renderWhole)]
}

/** Lists the open clients by release at every change and every full hour. */
export function listMomentRows({ moments }: ConfigurationSummary): readonly TableRow[] {
  const releases = (moments[0]?.clients.length ?? 1) - 1
  const head = Array.from({ length: releases }, (_, index) => `release ${index + 1}`)
  return [
    ['UTC', ...head, 'no document', 'what is done'],
    ...moments.map(
      ({ at, words, clients: [none = 0, ...clients] }): TableRow => [
        at,
        ...clients.map(renderCount),
        renderCount(none),
        words,
      ],
    ),
  ]
}

/** Renders a table whose texts begin at the left, and whose numbers end at the right. */
function renderTable([head, ...rows]: readonly TableRow[], paint: Paint): string {
  const table = [head!, ...rows]
  const widths = head!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const isText = (column: number) => column === 0 || head![column] === 'what is done'
  return table
    .map((row) =>
      row
        .map((cell, column) => (isText(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('   ')
        .trimEnd(),
    )
    .map((line, index) => `${index === 0 ? paint('strong', line) : line}\n`)
    .join('')
}

/** Rounds seconds up, so that a short wait is not shown as 0. */
function renderWhole(ms: number): string {
  return renderDuration(Math.ceil(ms / 1000))
}
