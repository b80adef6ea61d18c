/** In milliseconds: a token that was minted this long before a run began, or later, counts as new whatever its life. Our decision. */
export const newForMs = 10_000

/** In milliseconds, how much longer than the client's ttl a cached token must live. Our decision. */
export const marginMs = 60_000

/**
 * In percent of the time in which a token is served from the cache: by how much machines renew it early at most. Our decision: with
 * a quarter, tokens of one moment are renewed over a quarter of that time, and a fleet asks its sources 15 % more often.
 */
export const renewEarlyPercent = { default: 25, most: 90 } as const

/**
 * The last moment at which a token may be served that is not new: then it outlives the ttl of its client by the margin. It lies
 * before the mint where a token does not live so long.
 * @param expiresAt Like the result in milliseconds since any moment.
 */
export function computeServableUntil(expiresAt: number, clientTtlSec: number): number {
  return expiresAt - clientTtlSec * 1000 - marginMs
}

/**
 * The last moment at which a token is served before its source is asked for the next one. It is never later than `servableUntil`:
 * the part of the time in which a token may be served that its renewal is early is as large as the percentage at most, and differs
 * from machine to machine, so that tokens of one moment are not renewed in one moment.
 * @param minted Like `servableUntil` and the result in milliseconds since any moment.
 * @param renewEarlyPercent The setting of the machine; 0 renews every token as late as it can be.
 * @param fraction Of this token, as `computeEarlyFraction` gives it.
 */
export function computeRenewedFrom(
  minted: number,
  servableUntil: number,
  renewEarlyPercent: number,
  fraction: number,
): number {
  const servableMs = Math.max(0, servableUntil - minted)
  return servableUntil - (servableMs * renewEarlyPercent * fraction) / 100
}

/**
 * By which part of the longest time a token is renewed early, from 0 to 1. By the first part alone machines with scheduled tasks
 * would meet again and again, because their tokens are renewed every six tasks, or every eight; by the second alone those
 * with tokens of many hours would part more slowly. Where both are spread evenly the result is, too, while their mean would not be.
 * @param ofMachine At least 0, less than 1, and always the same for a machine and key.
 * @param ofMint Likewise, and another one for each token.
 */
export function computeEarlyFraction(ofMachine: number, ofMint: number): number {
  const sum = ofMachine + ofMint
  return sum < 1 ? sum ** 2 / 2 : 1 - (2 - sum) ** 2 / 2 // how likely a sum of two such parts is smaller
}
