import { escapeHtml } from '../../runtime/escape-html.ts'

/** A cell: text, which is escaped, or HTML that was made here. */
export type HtmlCell = string | { readonly html: string; readonly className?: string }

/** A table with one row of headings. A heading that begins with `#` is of numbers, which stand to the right. */
export function renderHtmlTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly HtmlCell[])[],
): string {
  const classes = head.map((title) => (title.startsWith('#') ? 'number' : ''))
  const titles = head.map((title, column) =>
    title === ''
      ? '<td></td>'
      : `<th scope="col"${toClass(classes[column])}>${escapeHtml(title.replace(/^#/, ''))}</th>`,
  )
  const body = rows.map(
    (row) => `<tr>${row.map((cell, column) => renderCell(cell, classes[column], column)).join('')}</tr>`,
  )
  return `<table><caption>${escapeHtml(caption)}</caption><thead><tr>${titles.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table>`
}

/** The same in a box of its own height, which the keyboard scrolls too. */
export function renderTableBox(...[caption, head, rows]: Parameters<typeof renderHtmlTable>): string {
  return `<div class="box" tabindex="0" role="region" aria-label="${escapeHtml(caption)}">${renderHtmlTable(caption, head, rows)}</div>`
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
