import { daySec, type FleetResult } from './fleet-result.ts'

/** One number for each second of a day. */
export type Series = Uint32Array

/** Adds several series, second by second. */
export function joinSeries(...all: readonly Series[]): Series {
  const joined = new Uint32Array(daySec)
  for (const series of all) for (let second = 0; second < daySec; second += 1) joined[second]! += series[second] ?? 0
  return joined
}

/** Counts all tokens that the provider gave. */
export function countMints({ mints }: FleetResult): Series {
  return joinSeries(mints.first, mints.renewal, mints.refusal)
}

/** Counts all turns that were lost. */
export function countLost({ lost }: FleetResult): Series {
  return joinSeries(lost['no-credential'], lost.unauthorized)
}

export function computeSum(series: Series): number {
  return series.reduce((sum, number) => sum + number, 0)
}

/** Computes the largest number and the first second that has it. */
export function computePeak(series: Series): Peak {
  const perSec = series.reduce((most, number) => Math.max(most, number), 0)
  return { perSec, at: renderSecond(series.indexOf(perSec)) }
}

/** The busiest second and its number. */
export interface Peak {
  readonly perSec: number
  /** In UTC, such as `09:03:12`. */
  readonly at: string
}

/** Renders a second of the day, such as `09:03:12`. */
function renderSecond(second: number): string {
  return new Date(second * 1000).toISOString().slice(11, 19)
}

/** Sums up every minute, from midnight on. */
export function summarizeMinutes(series: Series): number[] {
  return splitSeries(series, 60).map(computeSum)
}

/** Selects the largest number of every `seconds` seconds, from midnight on. */
export function selectPeaks(series: Series, seconds: number): number[] {
  return splitSeries(series, seconds).map((part) => computePeak(part).perSec)
}

function splitSeries(series: Series, seconds: number): Series[] {
  const parts = Math.ceil(daySec / seconds)
  return Array.from({ length: parts }, (_, part) => series.subarray(part * seconds, (part + 1) * seconds))
}
