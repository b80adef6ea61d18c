import type { RefusalReason } from '../../contract/refusal-reasons.ts'
import { TokenRefusal } from '../token-refusal.ts'

/** What may take time, for how long, and what it means if it takes longer. */
interface TimeLimit {
  readonly sec: number
  readonly reason: RefusalReason
}

/**
 * Waits for `work` within its limit. What it does after that concerns nobody.
 * @throws {TokenRefusal} of the reason when it takes longer.
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
