import { loadavg } from 'node:os'
import type { Comparison, Spread } from './compare-pairs.ts'

/** Prints the measurements of two things, and their ratio. */
export function printComparison(subject: string, floor: string, unit: 'ms' | '/s', comparison: Comparison): void {
  const digits = unit === 'ms' ? 1 : 0
  const line = (spread: Spread) => `${renderSpread(spread, digits)} ${unit}`
  console.log(`${subject}: ${line(comparison.subject)}
  ${floor}: ${line(comparison.floor)}
  ratio: ${renderSpread(comparison.ratio, 2)}
`)
}

/** Renders a text such as `1.2 (1.1 to 1.4)`: the median, the minimum and the maximum. */
export function renderSpread({ min, median, max }: Spread, digits = 1): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`
}

/** Renders a size in KiB or MiB. */
export function renderSize(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.round(bytes / 2 ** 10)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

/** Renders the load of the machine over the last minute, five and fifteen minutes, which shows how much others used. */
export function renderLoadAverage(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')
}
