import { nameMoments, renderColumns } from '../../client/page/render-columns.ts'
import { renderBar, renderHtmlTable, renderLongTable } from '../../client/page/render-html-table.ts'
import { renderCount } from '../../runtime/text/counted.ts'
import { escapeHtml } from '../../runtime/text/escape.ts'
import type { FleetSummary, MomentSummary } from '../logs/fleet-summary.ts'
import { renderEnd } from './report-sentences.ts'
import { renderMoment, renderShare, renderSwatch } from './report-words.ts'

/** Renders the versions in use over time, and the machines that are behind. */
export function renderVersionsSection(summary: FleetSummary): string {
  const { versions } = summary
  if (versions.length === 0) return ''
  const most = Math.max(...versions.map(({ machines }) => machines))
  const rows = versions.map(({ version, machines, calls }, index) => [
    {
      html: `${renderSwatch(toClass(index))}${escapeHtml(version)}`,
    },
    renderCount(machines),
    { html: renderBar(machines, most, toClass(index)), className: 'drawn' },
    renderShare(machines, summary.machines.all),
    renderCount(calls),
  ])
  return `<section id="versions"><h2>Versions</h2>
<div class="beside">${renderHtmlTable('Machines by the version of their latest call', ['version', '#machines', '', '#share', '#calls'], rows)}
${renderBehind(summary)}</div>
${versions.length > 1 ? renderOverTime(summary) : ''}</section>`
}

function toClass(index: number): string {
  return `version-${Math.min(index, maxColours)}`
}

/** How many versions have a colour of their own; older ones share one colour. */
const maxColours = 5

function renderBehind({ behind, currentVersion }: FleetSummary): string {
  const words = `behind ${currentVersion}, the newest version that at least a tenth of all have reached`
  if (behind.length === 0) return `<p>No machine is ${escapeHtml(words)}.</p>`
  const rows = behind.map(({ machine, version, seenAt }) => [machine, version, renderMoment(seenAt)])
  return renderLongTable(`Machines ${words}`, ['machine', 'version', 'last seen (UTC)'], rows)
}

function renderOverTime({ moments: { columns, stepMs }, versions }: FleetSummary): string {
  const ticks = nameMoments(columns.map(({ at }) => at))
  const names = versions.map(({ version }) => version)
  const chart = renderColumns({
    label: 'Versions over time',
    panels: [
      {
        title: 'calls by version',
        height: 110,
        most: 100,
        renderValue: (value: number) => `${value} %`,
        parts: names.map((name, index) => ({
          className: toClass(index),
          values: columns.map(({ calls, versions: counts }) => (calls === 0 ? 0 : (100 * (counts[name] ?? 0)) / calls)),
        })),
      },
    ],
    columns: columns.map((column, index) => ({ words: describeColumn(column, names, stepMs), tick: ticks[index] })),
  })
  return `<div class="scroll">${chart}</div>
<output class="detail" aria-live="polite">The newest version is at the bottom. Point at a column, or go to one with Tab and the arrow keys, to read about it here.</output>`
}

function describeColumn({ at, calls, versions }: MomentSummary, names: readonly string[], stepMs: number): string {
  const parts = names
    .filter((name) => versions[name])
    .map((name) => `${name} ${renderShare(versions[name] ?? 0, calls)}`)
  return `${renderMoment(at)} to ${renderEnd(at, stepMs)}  ${parts.join(', ') || 'no calls'}`
}
