/** In milliseconds. A disk or a reader that does not respond is waited for by the program, which has a deadline and words for it. */
export const patienceMs = 100

/**
 * In seconds from the start of the process: a file that decides how a call is made is waited for no longer, because it may be the
 * one that says how long the client waits.
 */
export const longestReadSec = 10

/** The result of the work; `undefined` if it takes longer. */
export async function waitAtMost<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), limitMs)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
