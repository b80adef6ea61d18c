/** Regular looks at something that may change, one at a time. */
export interface Looks {
  /** Looks now, beside the regular looks; during a look it waits for that one. */
  look(): Promise<void>
  close(): void
}

/** @param look Never rejects. */
export function startLooking(look: () => Promise<void>, intervalMs: number): Looks {
  let looking: Promise<void> | undefined
  const lookOnce = () => {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }
  const timer = setInterval(lookOnce, intervalMs).unref()
  return { look: lookOnce, close: () => clearInterval(timer) }
}
