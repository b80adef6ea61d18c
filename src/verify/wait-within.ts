// Bounds a wait of the verifier, whose result is then a refusal of the token.

import type { RefusalReason } from '../contract/refusal-reasons.ts'
import { TokenRefusal } from './verdict.ts'

/**
 * Waits for `work` within its limit. A result that comes later is ignored.
 * @throws {TokenRefusal} with the reason of the limit.
 */
export async function waitWithin<T>({ sec, reason }: TimeLimit, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TokenRefusal(reason, { note: `no answer within ${sec} s` })), sec * 1000)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The time limit of some work, and the reason of the refusal if the work takes longer. */
interface TimeLimit {
  readonly sec: number
  readonly reason: RefusalReason
}
