import { renderHtmlPage } from '../../client/page/render-html-page.ts'
import { renderNumbersTable } from '../../client/page/render-html-table.ts'
import { renderCount } from '../../runtime/text/counted.ts'
import { escapeHtml } from '../../runtime/text/escape.ts'
import { programName } from '../../version.ts'
import { type DayPanel, listFilledPanels, panelScript, panelStyle, renderMark, renderPanels } from '../day-panels.ts'
import { mergeSeries, selectPeaks, summarizeMinutes } from '../fleet-result.ts'
import type { ConfigurationResult } from './configuration-day.ts'
import {
  describeRestart,
  listBlockedRows,
  listMomentRows,
  listNumberRows,
  type TableRow,
} from './render-configuration.ts'
import { type PlayedConfiguration, summarizeConfiguration } from './summarize-configuration.ts'

/** Renders a fleet's day at its configuration server as one page: the numbers, and charts over the day. */
export function renderConfigurationPage({ name, summary, desktops, result }: PlayedConfiguration): string {
  const numbers = summarizeConfiguration(result)
  const names = listReleaseNames(result)
  const body = `<h1>${escapeHtml(name)}</h1>
<p>${renderCount(desktops)} desktops${summary === '' ? '' : `: ${escapeHtml(summary)}`}</p>
<p>${describeRestart(numbers)} Times are in UTC.</p>
<h2>The day in numbers</h2>
${renderTable(listNumberRows(numbers))}
<h2>Who was blocked</h2>
${renderTable(listBlockedRows(numbers))}
<h2>Clients by release</h2>
<ul class="legend" aria-label="legend">${names.map((release, index) => `<li>${renderMark(index)}${release}</li>`).join('')}</ul>
${renderTable(listMomentRows(numbers))}
${renderPanels(listPanels(result))}`
  return renderHtmlPage({
    title: name,
    command: `${programName} bootstrap simulate`,
    style: pageStyle,
    script: panelScript,
    body,
  })
}

/** Lists the names of the series of clients; clients without a document come last. */
function listReleaseNames({ clientsPerMinute }: ConfigurationResult): string[] {
  return [...clientsPerMinute.slice(1).map((_, index) => `release ${index + 1}`), 'no document']
}

function renderTable([head, ...rows]: readonly TableRow[]): string {
  const cells = (row: TableRow, tag: 'td' | 'th') => row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')
  const lines = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`)
  return renderNumbersTable(cells(head!, 'th'), lines)
}

const pageStyle = `${panelStyle}
h2 { font-size: 16px; margin: 20px 0 6px; }
.numbers td:not(:first-child), .numbers th:not(:first-child) { text-align: right; padding-left: 24px; }
.numbers td { white-space: pre; }
@media (max-width: 600px) {
  .numbers td { white-space: pre-wrap; } .numbers td:not(:first-child), .numbers th:not(:first-child) { padding: 2px 0 2px 10px; }
}
`

/** Lists the charts, without empty ones; the first is always there. */
function listPanels(result: ConfigurationResult): DayPanel[] {
  const { clientsPerMinute, blockedPerMinute, requests } = result
  const [none, ...releases] = clientsPerMinute.map((clients) => [...clients])
  const { document, unchanged, unreachable } = requests
  const people = (title: string, values: readonly Int32Array[], names: readonly string[]) => ({
    title,
    names,
    values: values.map((numbers) => [...numbers]),
  })
  return listFilledPanels([
    { title: 'open clients, by release', names: listReleaseNames(result), values: [...releases, none!] },
    people(
      'people blocked by a restart, in a minute',
      [blockedPerMinute['own-restart'], blockedPerMinute['enforced-restart']],
      ['by itself', 'enforced'],
    ),
    people(
      'people whose client does not work',
      [blockedPerMinute['wrong-document'], blockedPerMinute['no-document']],
      ['wrong gateway', 'no document'],
    ),
    {
      title: 'requests in the busiest second of a minute',
      names: ['all'],
      values: [selectPeaks(mergeSeries(document, unchanged, unreachable), 60)],
    },
    {
      title: 'answers, a minute',
      names: ['304', 'documents', 'unreachable'],
      values: [unchanged, document, unreachable].map((series) => summarizeMinutes(series)),
    },
  ])
}
