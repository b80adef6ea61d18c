import { escapeHtml } from '../../runtime/text/escape.ts'

const sheet = { width: 1200, left: 64, right: 12, title: 22, axis: 20, gap: 10 } as const

/** Draws a chart with marks for {@link markScript}. */
export function renderColumns({ label, panels, columns }: ColumnChart): string {
  const placed = toPlacedPanels(panels)
  const height = (placed.at(-1)?.bottom ?? 0) + sheet.axis
  const width = (sheet.width - sheet.left - sheet.right) / Math.max(1, columns.length)
  const marks = columns.map(({ words }, index) => {
    const x = sheet.left + index * width
    const drawn = placed.map((panel) => renderStack(panel, index, { x, width }))
    const text = escapeHtml(words)
    return `<g class="mark column" role="listitem" tabindex="-1" aria-label="${text}"><rect class="reach" x="${round(x)}" y="0" width="${round(width)}" height="${height - sheet.axis}"/>${drawn.join('')}</g>`
  })
  return `<svg viewBox="0 0 ${sheet.width} ${height}" role="group" aria-label="${escapeHtml(label)}">
${placed.map(renderAxis).join('\n')}
${columns.map(({ tick }, index) => renderTick(tick, sheet.left + (index + 0.5) * width, height)).join('')}
<g class="lane" role="list" aria-label="${escapeHtml(label)}">
${marks.join('\n')}
</g>
</svg>`
}

/** Columns over time, in one or several panels. Each column has a text, for a pointer, the keyboard and a screen reader. */
interface ColumnChart {
  readonly label: string
  readonly panels: readonly ColumnPanel[]
  readonly columns: readonly ChartColumn[]
}

/** The columns above one axis. */
interface ColumnPanel {
  readonly title: string
  readonly height: number
  /** From the bottom up: the class for the colour of a part, and a number for each column. */
  readonly parts: readonly { readonly className: string; readonly values: readonly number[] }[]
  /** The end of the axis; if absent, a round number above the highest column. */
  readonly most?: number
  readonly renderValue: (value: number) => string
}

/** The texts of one moment, for the columns of all panels. */
interface ChartColumn {
  readonly words: string
  /** The text below the column. */
  readonly tick?: string | undefined
}

type PlacedPanel = ColumnPanel & { readonly top: number; readonly bottom: number; readonly end: number }

function toPlacedPanels(panels: readonly ColumnPanel[]): PlacedPanel[] {
  let bottom = -sheet.gap
  return panels.map((panel) => {
    const top = bottom + sheet.gap + sheet.title
    bottom = top + panel.height
    const sums = (panel.parts[0]?.values ?? []).map((_, index) =>
      panel.parts.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
    )
    return { ...panel, top, bottom, end: panel.most ?? computeAxisEnd(Math.max(0, ...sums)) }
  })
}

/** Computes the next of 2, 4, 6, 8, 10, 20, 40, …, so that half of it is a whole number too. */
export function computeAxisEnd(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)))
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * power).find((end) => end >= most && end % 2 === 0) ?? most
}

function renderStack(
  { parts, top, bottom, end }: PlacedPanel,
  index: number,
  { x, width }: { readonly x: number; readonly width: number },
): string {
  let y = bottom
  return parts
    .map(({ className, values }) => {
      const height = ((bottom - top) * (values[index] ?? 0)) / end
      if (height === 0) return ''
      // A single failure must be visible in a high chart.
      const shown = Math.max(1, height)
      y -= shown
      return `<rect class="${className}" x="${round(x + width * 0.08)}" y="${round(y)}" width="${round(width * 0.84)}" height="${round(shown)}"/>`
    })
    .join('')
}

function renderAxis({ title, top, bottom, end, renderValue }: PlacedPanel): string {
  const lines = [0, end / 2, end].map((value) => {
    const y = round(bottom - ((bottom - top) * value) / end)
    return `<line class="rule" x1="${sheet.left}" x2="${sheet.width - sheet.right}" y1="${y}" y2="${y}"/><text x="${sheet.left - 8}" y="${y + 4}">${renderValue(value)}</text>`
  })
  return `<g class="axis" aria-hidden="true"><text class="panel" x="${sheet.left}" y="${top - 8}">${escapeHtml(title)}</text>${lines.join('')}</g>`
}

function renderTick(tick: string | undefined, x: number, height: number): string {
  if (tick === undefined) return ''
  return `<g class="tick" aria-hidden="true"><line x1="${round(x)}" x2="${round(x)}" y1="${height - sheet.axis}" y2="${height - sheet.axis + 4}"/><text x="${round(x)}" y="${height - 3}">${escapeHtml(tick)}</text></g>`
}

function round(x: number): number {
  return Math.round(x * 100) / 100
}

const minuteMs = 60_000
const dayMs = 1440 * minuteMs

/**
 * The lengths of steps of time, in milliseconds. Each is a multiple of the one before, so that steps can be joined. They range from a minute
 * to a year, and up to a hundred years for wrong clocks, which may show any time until the year 9999.
 */
export const timeSteps = [1, 5, 15, 30, 60, 180, 360, 720, 1440, 10_080, 40_320, 524_160, 5_241_600, 52_416_000].map(
  (minutes) => minutes * minuteMs,
)

/** Ticks, which are not joined, may also be two days, two weeks or a thousand years apart. */
const tickSteps = [...timeSteps, 2 * dayMs, 14 * dayMs, 364_000 * dayMs].toSorted((a, b) => a - b)

/** Names some of these times, in milliseconds since the epoch: at most twelve, at round times in UTC. */
export function nameMoments(moments: readonly number[]): (string | undefined)[] {
  const [first = 0, last = 0] = [moments[0], moments.at(-1)]
  const stepMs = tickSteps.find((ms) => (last - first) / ms <= 12) ?? tickSteps.at(-1)!
  // Steps of several days begin at no round date, so they are counted from the first time.
  const from = stepMs > dayMs ? first : 0
  return moments.map((at) => ((at - from) % stepMs === 0 ? nameMoment(at, stepMs) : undefined))
}

/** Names the day at midnight and for steps of whole days, the year for steps of years, and otherwise the time. */
function nameMoment(at: number, stepMs: number): string {
  const text = new Date(at).toISOString()
  if (stepMs >= 364 * dayMs) return text.slice(0, 4)
  return at % dayMs === 0 ? text.slice(5, 10) : text.slice(11, 16)
}
