/** The end of a token that a helper's output states beside the token. No client reads it. */
export interface StatedEnd {
  /** Such as `expires_in in its output`. */
  readonly source: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Parses the end that an output states, the first of several. `printedAt`: when it was printed, in epoch milliseconds. */
export function parseStatedEnd(output: Readonly<Record<string, unknown>>, printedAt: number): StatedEnd | undefined {
  for (const [key, value] of Object.entries(output)) {
    const at = readers[key.replace(/[-_]/g, '').toLowerCase()]?.(value, printedAt)
    if (at !== undefined) return { source: `${key} in its output`, at }
  }
  return undefined
}

type ReadEnd = (value: unknown, printedAt: number) => number | undefined

const parseTime: ReadEnd = (value) => {
  const number = parseNumber(value)
  if (number === undefined) return typeof value === 'string' ? acceptAtLeast(0, Date.parse(value)) : undefined
  return number >= 1e12 ? number : acceptAtLeast(1e9 * 1000, number * 1000) // a smaller number is not a time of this century
}

/** Readers by key, in small letters and without `_` and `-`. */
const readers: Readonly<Record<string, ReadEnd | undefined>> = {
  expiresin: (value, printedAt) => {
    const seconds = acceptAtLeast(0, parseNumber(value))
    return seconds === undefined ? undefined : printedAt + seconds * 1000
  },
  expiresat: parseTime,
  expiration: parseTime,
}

function parseNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}

function acceptAtLeast(least: number, value: number | undefined): number | undefined {
  return value !== undefined && value >= least ? value : undefined
}
