// Folder: the report about collected logs, as text and as a page with charts.

import { toOneLine } from '../../runtime/failure.ts'
import { renderCount } from '../../runtime/text/counted.ts'
import type { FleetSummary, MachineSummary } from '../logs/fleet-summary.ts'
import { renderCauseWhere, renderFarAway, renderHeadline, renderInput, renderPeak } from './report-sentences.ts'
import {
  originTitles,
  percentileHeads,
  renderCounted,
  renderMoment,
  renderPercentiles,
  renderPeriod,
  renderShare,
  stageTitles,
} from './report-words.ts'

/** Renders the report for a terminal. */
export function renderSummary(summary: FleetSummary, paint: PaintHeading): string {
  const { period } = summary
  const served = [toReleaseTable, toRefusalTable, toDeviceStepTable]
    .map((toTable) => renderSection(toTable(summary), paint))
    .filter(Boolean)
  if (!period)
    return [`No call of a helper.\n`, ...served, renderInput(summary.input)].join(served.length > 0 ? '\n' : '')
  const farAway = renderFarAway(summary.moments)
  const tables = [toOriginTable, toCauseTable, toMachineTable, toLateTable, toSourceTable, toVersionTable]
  return [
    `${paint('strong', renderHeadline(summary))}\n${renderPeriod(period.from, period.to)}${farAway && `; ${farAway}`}\n`,
    ...tables.map((toTable) => renderSection(toTable(summary), paint)),
    ...served,
    renderInput(summary.input),
  ]
    .filter(Boolean)
    .join('\n')
}

/** Emphasizes a part of the output. */
type PaintHeading = (style: 'strong', text: string) => string

/** A table, and the line below it. */
interface SummaryTable {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly more?: string | undefined
}

/** Lists the people by the release of the configuration that they run. */
function toReleaseTable({ served }: FleetSummary): SummaryTable {
  const releases = served?.releases ?? []
  return {
    head: ['Configuration', '#people', '#share', 'latest answer, UTC'],
    rows: releases.map(({ release, people, seenAt }) => [
      release,
      ...[renderCount(people), renderShare(people, served?.people.length ?? 0), renderMoment(seenAt)],
    ]),
  }
}

function toRefusalTable({ served }: FleetSummary): SummaryTable {
  return {
    head: ['Configuration refused', '#answers'],
    rows: (served?.refusals ?? []).map(({ reason, answers }) => [reason, renderCount(answers)]),
    ...(served &&
      served.omitted > 0 && { more: `and ${renderCount(served.omitted)} answers to strangers that were only counted` }),
  }
}

function toDeviceStepTable({ served }: FleetSummary): SummaryTable {
  return {
    head: ['Device sign-ins', '#times'],
    rows: (served?.deviceSteps ?? []).map(({ step, times }) => [step, renderCount(times)]),
  }
}

function renderSection({ head, rows, more }: SummaryTable, paint: PaintHeading): string {
  if (rows.length === 0) return ''
  const [first = '', ...others] = renderTable([head, ...rows])
  return [paint('strong', first), ...others, ...(more === undefined ? [] : [`  ${more}`])]
    .map((line) => `${line}\n`)
    .join('')
}

function toOriginTable({ origins, calls }: FleetSummary): SummaryTable {
  return {
    head: ['Calls', '#number', '#share', ...percentileHeads],
    rows: origins.map(({ origin, calls: count, ...facts }) => [
      originTitles[origin],
      ...[renderCount(count), renderShare(count, calls), ...renderPercentiles(facts)],
    ]),
  }
}

function toCauseTable(summary: FleetSummary): SummaryTable {
  return {
    head: ['Failures by cause', '#calls', '#machines', 'where', 'when'],
    rows: summary.causes.map((cause) => [
      `${cause.cause} (${cause.status})`,
      ...[renderCount(cause.calls), renderCount(cause.machines), renderCauseWhere(cause), renderPeak(cause, summary)],
    ]),
  }
}

function toMachineTable({ failing }: FleetSummary): SummaryTable {
  return {
    head: ['Machines with most failures', '#failed', '#calls', 'version', 'causes', 'state'],
    rows: failing
      .slice(0, maxMachines)
      .map((machine) => [
        toOneLine(machine.machine),
        ...[
          renderCount(machine.failed),
          renderCount(machine.calls),
          machine.version,
          renderCauses(machine),
          renderState(machine),
        ],
      ]),
    more:
      failing.length > maxMachines
        ? `and ${renderCount(failing.length - maxMachines)} more; --json lists every one`
        : undefined,
  }
}

/** How many machines the text shows, so that they fit on a screen; the page shows more, and `--json` all. */
const maxMachines = 10

function renderCauses({ failures }: MachineSummary): string {
  const sorted = Object.entries(failures).toSorted(([, a], [, b]) => b - a)
  return sorted.map(([cause, count]) => `${cause} ${renderCount(count)}`).join(', ')
}

function renderState({ stillFailing, lastSuccessAt }: MachineSummary): string {
  if (stillFailing.length === 0) return 'recovered'
  const helpers = stillFailing.join(', ')
  return lastSuccessAt === undefined
    ? `${helpers} never succeeded`
    : `no success of ${helpers} since ${renderMoment(lastSuccessAt)}`
}

function toLateTable({ late }: FleetSummary): SummaryTable {
  return {
    head: ['Late, waiting for', '#calls', '#machines', ...percentileHeads],
    rows: late.map(({ stage, calls, machines, ...facts }) => [
      stageTitles[stage],
      ...[renderCount(calls), renderCount(machines), ...renderPercentiles(facts)],
    ]),
  }
}

function toSourceTable({ sources }: FleetSummary): SummaryTable {
  return {
    head: ['Source asked', '#times', ...percentileHeads],
    rows: sources.map(({ source, calls, ...facts }) => [source, renderCount(calls), ...renderPercentiles(facts)]),
  }
}

function toVersionTable({ versions, currentVersion, behind }: FleetSummary): SummaryTable {
  return {
    head: ['Version', '#machines', '#calls'],
    rows: versions.map(({ version, machines, calls }) => [version, renderCount(machines), renderCount(calls)]),
    more:
      behind.length > 0
        ? `${renderCounted(behind.length, 'machine')} behind ${currentVersion}; --json lists every one`
        : undefined,
  }
}

/**
 * Renders the lines of a table. The columns are as wide as their widest cells. A heading with `#` is for numbers, which are aligned right.
 */
function renderTable([head = [], ...rows]: readonly (readonly string[])[]): string[] {
  const titles = head.map((title) => title.replace(/^#/, ''))
  const isNumber = head.map((title) => title.startsWith('#'))
  const widths = titles.map((title, column) =>
    Math.max(...[titles, ...rows].map((row) => row[column]?.length ?? 0), title.length),
  )
  const renderRow = (row: readonly string[]) =>
    row
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  return [renderRow(titles), ...rows.map((row) => renderRow(row))]
}
