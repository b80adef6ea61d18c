/** Calls `look` at regular times, one call at a time. @param look Never rejects. */
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

/** Checks of something that may change, at regular times; one check runs at a time. */
interface Looks {
  /** Checks now, besides the regular checks. If a check is running, it waits for that one. */
  look(): Promise<void>
  close(): void
}
