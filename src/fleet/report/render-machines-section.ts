import { type HtmlCell, maxRows, renderBar, renderTableBox } from '../../client/page/render-html-table.ts'
import type { FailureKind } from '../../runtime/failure.ts'
import { renderCount } from '../../runtime/text/counted.ts'
import { escapeHtml } from '../../runtime/text/escape.ts'
import type { FleetSummary, MachineSummary } from '../logs/fleet-summary.ts'
import { isBehind } from '../logs/summarize-versions.ts'
import { renderCounted, renderMoment, renderShare } from './report-words.ts'

/** Renders the machines with most failures, and the causes of each. */
export function renderMachinesSection({ failing, causes, currentVersion }: FleetSummary): string {
  if (failing.length === 0) return ''
  const kinds = causes.map(({ cause }) => cause)
  const head = [
    'machine',
    '#failed',
    '',
    '#of its calls',
    ...kinds.map((kind) => `#${kind}`),
    'version',
    'last success (UTC)',
  ]
  const shown = selectRows(failing)
  const most = Object.fromEntries(kinds.map((kind) => [kind, countMost(shown, kind)]))
  const maxFailed = failing[0]?.failed ?? 0
  const rows = shown.map((machine): HtmlCell[] => [
    machine.machine,
    renderCount(machine.failed),
    { html: renderBar(machine.failed, maxFailed, 'failures'), className: 'drawn' },
    renderShare(machine.failed, machine.calls),
    ...kinds.map((kind) => renderHeat(machine, kind, most[kind] ?? 0)),
    { html: escapeHtml(machine.version), className: isBehind(machine.version, currentVersion) ? 'older' : '' },
    renderState(machine),
  ])
  return `<section id="machines"><h2>Where</h2>
<p>${describeRows(shown.length, failing.length)} The stronger the colour of a cell, the more failures of its cause.</p>
<p><label>Find a machine <input type="search" id="find" autocomplete="off" spellcheck="false"></label> <label><input type="checkbox" id="still"> only those that are still failing</label> <output id="found" aria-live="polite"></output></p>
${renderTableBox('Machines with most failures', head, rows)}</section>`
}

/** Selects the machines that are still failing and those with most failures, in the order of failures. */
function selectRows(failing: readonly MachineSummary[]): MachineSummary[] {
  const still = failing.filter(({ stillFailing }) => stillFailing.length > 0).slice(0, maxRows / 2)
  const chosen = new Set([...still, ...failing.slice(0, maxRows - still.length)])
  return failing.filter((machine) => chosen.has(machine))
}

function countMost(machines: readonly MachineSummary[], kind: FailureKind): number {
  return machines.reduce((most, { failures }) => Math.max(most, failures[kind] ?? 0), 0)
}

/** Renders a cell with its number, in one of five shades. */
function renderHeat({ failures }: MachineSummary, kind: FailureKind, most: number): HtmlCell {
  const count = failures[kind] ?? 0
  if (count === 0) return ''
  return { html: renderCount(count), className: `heat ${kind} shade-${Math.max(1, Math.ceil((5 * count) / most))}` }
}

function renderState({ stillFailing, lastSuccessAt }: MachineSummary): HtmlCell {
  const words = lastSuccessAt === undefined ? 'never' : renderMoment(lastSuccessAt)
  if (stillFailing.length === 0) return words
  return { html: `${words}<small>still failing: ${escapeHtml(stillFailing.join(', '))}</small>`, className: 'still' }
}

function describeRows(shown: number, all: number): string {
  const had = `${renderCounted(all, 'machine')} had a failure`
  if (shown === all) return `${had}.`
  return `${had}. Here are ${renderCount(shown)}: the ones that are still failing, then those with most failures; --json lists all.`
}
