// Folder: the sources of tokens, one folder each. The files here are what several of them share.

import { describeClockDifference, toleratedSkewSec } from '../runtime/failure.ts'

/** When a request was sent and when its answer arrived, in epoch milliseconds by this machine's clock. */
export interface RequestTimes {
  readonly sentAt: number
  readonly receivedAt: number
}

/**
 * Computes the server's clock minus this machine's clock, in milliseconds: positive if this machine is behind. It is 0 if the answer has
 * no usable date, or if the clocks agree within the precision of the header `Date` (whole seconds) and the time of the request. Within
 * that precision the largest offset is returned, so that an expiry by the server's clock is placed too early rather than too late.
 */
export function toClockOffset(headers: Pick<Headers, 'get' | 'has'>, { sentAt, receivedAt }: RequestTimes): number {
  const dateMs = Date.parse(headers.get('date') ?? '')
  // An answer from a cache has an age, and the date of the stored answer (RFC 9110, section 6.6.1, and RFC 9111, section 5.1).
  if (Number.isNaN(dateMs) || headers.has('age')) return 0
  const least = dateMs - receivedAt
  const most = dateMs + 999 - sentAt
  return least <= 0 && most >= 0 ? 0 : most
}

/** Describes an offset as {@link describeClockDifference} does; `undefined` if it is below {@link toleratedSkewSec}. */
export function describeSkew(offsetMs: number, whose: string): string | undefined {
  if (Math.abs(offsetMs) <= toleratedSkewSec * 1000) return undefined
  return describeClockDifference(-offsetMs, whose)
}
