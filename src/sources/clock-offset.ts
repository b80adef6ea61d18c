/**
 * By how much two clocks may differ without a word, in seconds. Our decision: far above what an answer takes, so that a
 * slow one is not taken for a wrong clock.
 */
export const toleratedSkewSec = 120

/** The headers of an answer that tell the time. */
export interface TimeHeaders {
  readonly date: string | null | undefined
  /** Of an answer that a cache kept, whose date is that of its making. */
  readonly age: string | null | undefined
}

/** When a request was sent and its answer received, by this machine's clock: epoch milliseconds. */
export interface Exchange {
  readonly sentAt: number
  readonly receivedAt: number
}

/**
 * The clock of whoever answered less this machine's, in milliseconds. 0 where the answer does not tell, or the two agree
 * as far as whole seconds and the time on the way let anybody see. Of what it may be the largest is told, because what
 * ends by their clock then ends here rather too early than too late.
 */
export function readOffset({ date, age }: TimeHeaders, { sentAt, receivedAt }: Exchange): number {
  const told = Date.parse(date ?? '')
  if (Number.isNaN(told) || typeof age === 'string') return 0
  const least = told - receivedAt
  const most = told + 999 - sentAt
  return least <= 0 && most >= 0 ? 0 : most
}

/** Another clock less this machine's, in words; `undefined` where the two count as one. */
export function describeSkew(offsetMs: number, whose: string): string | undefined {
  if (Math.abs(offsetMs) <= toleratedSkewSec * 1000) return undefined
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  return `this machine's clock is ${minutes} minutes ${offsetMs > 0 ? 'behind' : 'ahead of'} ${whose}`
}
