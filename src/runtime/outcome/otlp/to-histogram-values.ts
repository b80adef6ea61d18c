import { durationBounds } from './metric-table.ts'
import type { HistogramPoint, PointOrigin } from './metrics-request.ts'

/** Times in milliseconds as the values of a histogram's point, in seconds. */
export function toHistogramValues(times: readonly number[]): Omit<HistogramPoint, keyof PointOrigin> {
  const counts = [...durationBounds, Infinity].map(() => 0)
  for (const ms of times) {
    const bucket = durationBounds.findIndex((bound) => ms <= bound * 1000)
    counts[bucket === -1 ? durationBounds.length : bucket]! += 1
  }
  return {
    count: String(times.length),
    sum: times.reduce((sum, ms) => sum + ms, 0) / 1000,
    bucketCounts: counts.map(String),
    explicitBounds: durationBounds,
  }
}
