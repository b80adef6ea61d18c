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

const minuteMs = 60_000
const dayMs = 1440 * minuteMs

const tickSteps = [
  1, 5, 15, 30, 60, 180, 360, 720, 1440, 2880, 10_080, 20_160, 40_320, 524_160, 5_241_600, 52_416_000, 524_160_000,
].map((minutes) => minutes * minuteMs)

/** The names of some of these times, in milliseconds since the epoch: at most twelve, at round times in UTC. */
export function nameMoments(moments: readonly number[]): (string | undefined)[] {
  const [first = 0, last = 0] = [moments[0], moments.at(-1)]
  const step = tickSteps.find((ms) => (last - first) / ms <= 12) ?? tickSteps.at(-1)!
  // Steps of several days begin at no round date, so they are counted from the first time.
  const from = step > dayMs ? first : 0
  return moments.map((at) => ((at - from) % step === 0 ? nameMoment(at, step) : undefined))
}

/** The day at midnight and for steps of whole days; the year for steps of years; otherwise the time. */
function nameMoment(at: number, step: number): string {
  const text = new Date(at).toISOString()
  if (step >= 365 * dayMs - dayMs) return text.slice(0, 4)
  return at % dayMs === 0 ? text.slice(5, 10) : text.slice(11, 16)
}
