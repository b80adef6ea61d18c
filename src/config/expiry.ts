/** The lowest `expiresAt` in milliseconds; lower values are seconds (the client's documentation). */
const firstMilliseconds = 1e12

/** A document's `expiresAt` in whole epoch milliseconds. */
export function toExpiryMs(expiresAt: number): number {
  return Math.max(1, Math.round(expiresAt >= firstMilliseconds ? expiresAt : expiresAt * 1000))
}

/** The `expiresAt` for a time in epoch milliseconds. */
export function fromExpiryMs(expiresAtMs: number): number {
  return expiresAtMs >= firstMilliseconds ? expiresAtMs : expiresAtMs / 1000
}
