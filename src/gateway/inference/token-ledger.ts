import type { Verdict } from './messages-api.ts'

/** Tokens that a gateway has been told of, and until when each of them is good. */
export interface TokenLedger {
  /**
   * Enters a token whose life begins now; without `lifeSec` it has no known end. One that is known keeps its end, unless
   * it is `fresh`: made anew, and like the last one only to the letter.
   */
  register(token: string, lifeSec: number | undefined, print?: 'fresh' | 'maybe again'): 'new' | 'known' | 'ended'
  /** Ends every life, as an administrator would after a leak. */
  revokeAll(): void
  verify(token: string): Verdict
}

/** A ledger over a clock of the caller's, in epoch milliseconds, so that a token can live and die in a simulated time. */
export function createTokenLedger(now: () => number): TokenLedger {
  const ends = new Map<string, number>()
  return {
    register(token, lifeSec, print = 'maybe again') {
      const end = print === 'fresh' ? undefined : ends.get(token)
      if (end !== undefined) return now() < end ? 'known' : 'ended'
      ends.set(token, lifeSec === undefined ? Number.POSITIVE_INFINITY : now() + lifeSec * 1000)
      return 'new'
    },
    revokeAll() {
      for (const token of ends.keys()) ends.set(token, Number.NEGATIVE_INFINITY)
    },
    verify(token) {
      const end = ends.get(token)
      if (end === undefined) return { ok: false, reason: 'unknown' }
      if (now() < end) return { ok: true }
      return { ok: false, reason: end === Number.NEGATIVE_INFINITY ? 'revoked' : 'expired' }
    },
  }
}
