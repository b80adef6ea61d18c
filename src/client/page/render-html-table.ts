import { renderCount } from '../../runtime/text/counted.ts'
import { escapeHtml } from '../../runtime/text/escape.ts'

/** A cell: text, which is escaped here, or HTML that is already escaped. */
export type HtmlCell = string | { readonly html: string; readonly className?: string }

/** Renders a table with one row of headings, in a box that scrolls sideways. A heading with `#` is for numbers, aligned right. */
export function renderHtmlTable(...table: Parameters<typeof renderTable>): string {
  return `<div class="scroll">${renderTable(...table)}</div>`
}

/** Renders a table of numbers by its rows, which are HTML; the cells of its head are too. It scrolls sideways. */
export function renderNumbersTable(head: string, rows: readonly string[]): string {
  return `<div class="scroll"><table class="numbers"><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
}

/** Renders a table in a box of limited height, which the keyboard scrolls too. */
export function renderTableBox(...[caption, head, rows]: Parameters<typeof renderTable>): string {
  return `<div class="box" tabindex="0" role="region" aria-label="${escapeHtml(caption)}">${renderTable(caption, head, rows)}</div>`
}

/** Renders the first rows of a table in a box; the caption says how many there are, if there are more. */
export function renderLongTable(...[caption, head, rows]: Parameters<typeof renderTable>): string {
  const more = rows.length > maxRows ? `, the first ${renderCount(maxRows)} of ${renderCount(rows.length)}` : ''
  return renderTableBox(`${caption}${more}`, head, rows.slice(0, maxRows))
}

/** The most rows that a browser shows without a delay. */
export const maxRows = 1000

function renderTable(caption: string, head: readonly string[], rows: readonly (readonly HtmlCell[])[]): string {
  const classes = head.map((title) => (title.startsWith('#') ? 'number' : ''))
  const titles = head.map((title, column) =>
    title === ''
      ? '<td></td>'
      : `<th scope="col"${toClass(classes[column])}>${escapeHtml(title.replace(/^#/, ''))}</th>`,
  )
  const body = rows.map(
    (row) => `<tr>${row.map((cell, column) => renderCell(cell, classes[column], column)).join('')}</tr>`,
  )
  return `<table><caption><span>${escapeHtml(caption)}</span></caption><thead><tr>${titles.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table>`
}

/** The first cell names its row. */
function renderCell(cell: HtmlCell, className = '', column: number): string {
  const { html, className: own = '' } = typeof cell === 'string' ? { html: escapeHtml(cell) } : cell
  const both = toClass([className, own].filter(Boolean).join(' '))
  return column === 0 ? `<th scope="row"${both}>${html}</th>` : `<td${both}>${html}</td>`
}

function toClass(className = ''): string {
  return className === '' ? '' : ` class="${className}"`
}

/** Renders a bar in a table's cell, proportional to the longest bar. Another cell states the number. */
export function renderBar(value: number, most: number, className: string): string {
  const width = most === 0 ? 0 : Math.max(value === 0 ? 0 : 0.5, (100 * value) / most)
  return `<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${className}" width="${Math.round(width * 10) / 10}" height="10"/></svg>`
}

/** Columns without an axis in a table's cell, proportional to the highest. */
export function renderSparkline(values: readonly number[], className: string): string {
  const most = Math.max(1, ...values)
  const path = values.map((value, x) =>
    value === 0 ? '' : `M${x} 24v${-Math.round(Math.max(1.5, (24 * value) / most) * 10) / 10}h1V24z`,
  )
  return `<svg class="sparkline" viewBox="0 0 ${Math.max(1, values.length)} 24" preserveAspectRatio="none" aria-hidden="true"><path class="${className}" d="${path.join('')}"/></svg>`
}
