// Counts calls by their duration in little memory; `summarize-durations.ts` summarizes the counts.

/**
 * The number of calls by duration. Durations are counted by their first two digits, so that millions of calls take a few kilobytes; the
 * error of a percentile is at most a tenth, and usually far less.
 */
export type Durations = Uint32Array

/** Creates durations without calls. */
export function createDurations(): Durations {
  return new Uint32Array(stepCount)
}

/**
 * The powers of ten with steps: one step for each millisecond up to 100, then 90 steps for each power of ten up to ten million
 * milliseconds.
 */
const decades = 5
const stepCount = 100 + 90 * decades

/** Counts a call that took so many milliseconds. */
export function addDuration(durations: Durations, ms: number): void {
  const step = toStep(Math.round(ms))
  durations[step] = (durations[step] ?? 0) + 1
}

export function countDurations(durations: Durations): number {
  return durations.reduce((sum, count) => sum + count, 0)
}

/** Finds the duration that this share of the calls did not exceed, in milliseconds; `undefined` without calls. */
export function findPercentile(durations: Durations, part: number): number | undefined {
  const wanted = Math.ceil(countDurations(durations) * part)
  let sum = 0
  for (const [step, count] of durations.entries()) {
    sum += count
    if (count > 0 && sum >= wanted) return fromStep(step)
  }
  return undefined
}

/** Counts the calls that took at least `fromMs` and less than `untilMs`. */
export function countBetween(durations: Durations, fromMs: number, untilMs: number): number {
  return durations.reduce((sum, count, step) => {
    const ms = fromStep(step)
    return ms >= fromMs && ms < untilMs ? sum + count : sum
  }, 0)
}

function toStep(ms: number): number {
  if (ms < 100) return ms
  const power = Math.floor(Math.log10(ms) + 1e-9)
  if (power >= 2 + decades) return stepCount - 1
  return 100 + 90 * (power - 2) + Math.floor(ms / 10 ** (power - 1)) - 10
}

/** Returns the shortest duration of a step. */
function fromStep(step: number): number {
  if (step < 100) return step
  const power = Math.floor((step - 100) / 90)
  return (((step - 100) % 90) + 10) * 10 ** (power + 1)
}
