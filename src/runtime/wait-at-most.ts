// Bounds a wait where there is no deadline of a call, which `deadline.ts` has.

/** Waits for the result of the work; `undefined` if it takes longer than `ms`, or if the signal is aborted first. */
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

/**
 * Waits for work until a signal is aborted. Passing the signal to the work is not enough, because some work ignores it.
 * @throws the error that `toFailure` returns, if the signal is aborted first; by default the reason of the signal.
 */
export async function waitUntilAborted<T>(
  signal: AbortSignal,
  work: Promise<T>,
  toFailure: () => unknown = () => signal.reason,
): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const endWait = () => reject(toFailure())
  signal.addEventListener('abort', endWait, { once: true })
  if (signal.aborted) endWait()
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', endWait)
  }
}
