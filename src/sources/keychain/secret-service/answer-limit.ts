import type { Clock } from '../../../runtime/deadline.ts'
import { BusError } from '../dbus/bus-error.ts'

/** Waits for what others answer: all of it together takes at most 5 s. @throws {BusError} `hung` */
export type AnswerLimit = <T>(answer: Promise<T>) => Promise<T>

/** In milliseconds: a keyring takes 20. */
export const longestAnswerMs = 5000

/** A limit for one use of the keychain. */
export function createAnswerLimit(clock: Pick<Clock, 'elapsedMs'>): AnswerLimit {
  let leftMs = longestAnswerMs
  return async (answer) => {
    const begin = clock.elapsedMs()
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new BusError('hung', 'it does not answer')), Math.max(0, leftMs))
    try {
      return await Promise.race([answer, late])
    } finally {
      clearTimeout(timer)
      leftMs -= clock.elapsedMs() - begin
    }
  }
}
