import { renderTableBox } from '../../../../client/chart/render-html-table.ts'
import { renderCount } from '../../../../client/fleet/report/render-count.ts'
import { escapeHtml } from '../../../../runtime/escape-html.ts'
import { describeReason } from '../render/render-troubles.ts'
import { renderInput } from '../render/sentences.ts'
import type { FleetSummary } from '../summary/fleet-summary.ts'

/** As many files are listed. */
const mostRows = 200

/** What was read, and what the numbers above do not hold. */
export function renderInputSection({ input }: FleetSummary): string {
  const rows = input.troubles
    .slice(0, mostRows)
    .map(({ path, records, line, reason }) => [
      path,
      renderCount(records),
      line === undefined ? '' : renderCount(line),
      reason === undefined ? '' : describeReason(reason),
    ])
  const table = renderTableBox(
    'Files that could not be read, or not all of them',
    ['file', '#records not read', '#first in line', 'why'],
    rows,
  )
  return `<section id="input"><h2>What was read</h2><p>${escapeHtml(renderInput(input).trim())}</p>${rows.length === 0 ? '' : table}</section>`
}
