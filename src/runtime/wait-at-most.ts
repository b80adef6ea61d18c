/** The result of the work; `undefined` if it takes longer than `ms`, or if the signal is aborted first. */
export async function waitAtMost<T>(work: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const giveUp = () => resolve(undefined)
  const timer = setTimeout(giveUp, ms)
  if (signal?.aborted) giveUp()
  signal?.addEventListener('abort', giveUp)
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  })
}

/** How long a call from a memo waits for a disk or a reader, in milliseconds. Then the whole program waits, with a deadline and messages. */
export const patienceMs = 100

/**
 * How long a file is waited for that decides how a call is made, in seconds from the start of the process. The file may be the
 * one that states the client's timeout.
 */
export const longestReadSec = 10
