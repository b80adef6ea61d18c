/** `expiresAt` values from here on are milliseconds, below it seconds. From the client's documentation. */
const firstMilliseconds = 1e12

/** A document's `expiresAt` in whole epoch milliseconds. */
export function toExpiryMs(expiresAt: number): number {
  return Math.max(1, Math.round(expiresAt >= firstMilliseconds ? expiresAt : expiresAt * 1000))
}

/** The value that a document must hold for these epoch milliseconds. */
export function fromExpiryMs(milliseconds: number): number {
  return milliseconds >= firstMilliseconds ? milliseconds : milliseconds / 1000
}
