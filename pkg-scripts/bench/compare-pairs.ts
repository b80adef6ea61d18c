/** Returns one measurement, in milliseconds or per second. */
export type Measure = () => number | Promise<number>

/** The distribution of a measurement or a ratio over all pairs. */
export interface Spread {
  readonly min: number
  readonly median: number
  readonly max: number
}

/** Measurements of two things, and their ratio. */
export interface Comparison {
  readonly subject: Spread
  readonly floor: Spread
  /** Subject divided by floor, pair by pair, so that changes of the machine's speed cancel out. */
  readonly ratio: Spread
}

/** Measures two things alternately, after one discarded run of each. */
export async function comparePairs(subject: Measure, floor: Measure, pairs: number): Promise<Comparison> {
  await subject()
  await floor()
  const measured: (readonly [number, number])[] = []
  for (let pair = 0; pair < pairs; pair += 1) measured.push([await subject(), await floor()])
  return {
    subject: computeSpread(measured.map(([subject]) => subject)),
    floor: computeSpread(measured.map(([, floor]) => floor)),
    ratio: computeSpread(measured.map(([subject, floor]) => subject / floor)),
  }
}

/** Computes the minimum, median and maximum of at least one value. */
export function computeSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [(sorted.length - 1) / 2, sorted.length / 2].map((index) => sorted[Math.floor(index)]!)
  return { min: sorted[0]!, median: (low! + high!) / 2, max: sorted.at(-1)! }
}
