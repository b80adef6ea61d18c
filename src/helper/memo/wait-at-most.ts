/** How long a call from a memo waits for a disk or a reader, in milliseconds. Then the whole program waits, with a deadline and messages. */
export const patienceMs = 100

/**
 * How long a file is waited for that decides how a call is made, in seconds from the start of the process. The file may be the
 * one that states the client's timeout.
 */
export const longestReadSec = 10

/** The result of the work; `undefined` if it takes longer. */
export async function waitAtMost<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), limitMs)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
