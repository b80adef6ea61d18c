import { type Series, selectPeaks } from './fleet-series.ts'
import { renderCount } from './render-count.ts'

const rowsOfDrawing = 6

/** How many minutes a column can stand for. */
const columnMinutes = [5, 10, 15, 20, 30, 60, 120] as const

const blocks = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const

/**
 * Draws series with block characters, one drawing each, all on the scale of the largest. A column is as high as the busiest
 * second of its minutes.
 */
export function renderSeries(all: readonly Series[], columns: number): string[] {
  const most = Math.max(1, ...all.flatMap((series) => series.reduce((a, b) => Math.max(a, b), 0)))
  const margin = renderCount(most).length + 2
  const minutes = columnMinutes.find((each) => 1440 / each <= columns - margin) ?? 120
  return all.map((series) => {
    const peaks = selectPeaks(series, minutes * 60)
    const lines = Array.from({ length: rowsOfDrawing }, (_, row) => drawRow(peaks, most, rowsOfDrawing - 1 - row))
    const labels = [renderCount(most), ...Array.from({ length: rowsOfDrawing - 1 }, () => '')]
    const drawn = lines.map((line, row) => `${(labels[row] ?? '').padStart(margin - 2)} │${line}`.trimEnd())
    return `${[...drawn, drawAxis(minutes, margin)].join('\n')}\n`
  })
}

/** One line of a drawing; `row` counts from below. Whatever is not zero is seen in the lowest. */
function drawRow(peaks: readonly number[], most: number, row: number): string {
  return peaks
    .map((peak) => {
      const eighths = peak === 0 ? 0 : Math.max(1, Math.round((peak / most) * rowsOfDrawing * 8))
      return blocks[Math.min(8, Math.max(0, eighths - row * 8))]
    })
    .join('')
}

/** Hours below the drawing, each where it begins. */
function drawAxis(minutes: number, margin: number): string {
  const everyHours = minutes <= 20 ? 3 : 6
  const width = (everyHours * 60) / minutes
  const hours = Array.from(
    { length: 24 / everyHours },
    (_, index) => `${String(index * everyHours).padStart(2, '0')}:00`,
  )
  return `${' '.repeat(margin)}${hours.map((hour) => hour.padEnd(width)).join('')}`.trimEnd()
}
