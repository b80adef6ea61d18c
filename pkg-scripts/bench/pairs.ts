/** Measures something once: milliseconds, or how many in a second. */
export type Measure = () => number | Promise<number>

/** What a measure, or a ratio, was over all pairs. */
export interface Spread {
  readonly min: number
  readonly median: number
  readonly max: number
}

export interface Comparison {
  readonly subject: Spread
  readonly floor: Spread
  /** Subject over floor, pair by pair: what stays when the machine's speed drifts. */
  readonly ratio: Spread
}

/** Measures two things in turn, after one uncounted run of each. */
export async function comparePairs(subject: Measure, floor: Measure, pairs: number): Promise<Comparison> {
  await subject()
  await floor()
  const measured: (readonly [number, number])[] = []
  for (let pair = 0; pair < pairs; pair += 1) measured.push([await subject(), await floor()])
  return {
    subject: spreadOf(measured.map(([subject]) => subject)),
    floor: spreadOf(measured.map(([, floor]) => floor)),
    ratio: spreadOf(measured.map(([subject, floor]) => subject / floor)),
  }
}

/** Of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [(sorted.length - 1) / 2, sorted.length / 2].map((place) => sorted[Math.floor(place)]!)
  return { min: sorted[0]!, median: (low! + high!) / 2, max: sorted.at(-1)! }
}
