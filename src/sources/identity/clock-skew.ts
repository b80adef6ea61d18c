/**
 * By how much two clocks may differ without a word, in seconds. Our decision: far above what an answer takes, so that a
 * slow one is not taken for a wrong clock.
 */
export const toleratedSkewSec = 120

/** Another clock less this machine's, in words; `undefined` where the two count as one. */
export function describeSkew(offsetMs: number, whose: string): string | undefined {
  if (Math.abs(offsetMs) <= toleratedSkewSec * 1000) return undefined
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  return `this machine's clock is ${minutes} minutes ${offsetMs > 0 ? 'behind' : 'ahead of'} ${whose}`
}
