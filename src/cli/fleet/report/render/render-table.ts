/**
 * Lines of a table whose columns are as wide as their widest cells. A heading that begins with `#` is of numbers, which stand to
 * the right.
 */
export function renderTable([head = [], ...rows]: readonly (readonly string[])[]): string[] {
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
