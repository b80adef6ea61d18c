/** A bar in a cell of a table whose other cells say the number: a part of the longest one. */
export function renderBar(value: number, most: number, className: string): string {
  const width = most === 0 ? 0 : Math.max(value === 0 ? 0 : 0.5, (100 * value) / most)
  return `<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${className}" width="${Math.round(width * 10) / 10}" height="10"/></svg>`
}

/** Columns without an axis in a cell of a table, each a part of the highest. */
export function renderSparkline(values: readonly number[], className: string): string {
  const most = Math.max(1, ...values)
  const path = values.map((value, x) =>
    value === 0 ? '' : `M${x} 24v${-Math.round(Math.max(1.5, (24 * value) / most) * 10) / 10}h1V24z`,
  )
  return `<svg class="sparkline" viewBox="0 0 ${Math.max(1, values.length)} 24" preserveAspectRatio="none" aria-hidden="true"><path class="${className}" d="${path.join('')}"/></svg>`
}
