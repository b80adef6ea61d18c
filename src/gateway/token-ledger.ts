import type { Verdict } from './messages-api.ts'

/** Tokens that a gateway has been told of, and until when each of them is good. */
export interface TokenLedger {
  /** Enters a token whose life begins now; without `lifeSec` it has no known end. One that is known keeps its end. */
  admit(token: string, lifeSec: number | undefined): 'new' | 'known' | 'ended'
  verify(token: string): Verdict
}

/** A ledger over a clock of the caller's, in epoch milliseconds, so that a token can live and die in a simulated time. */
export function createTokenLedger(now: () => number): TokenLedger {
  const ends = new Map<string, number>()
  return {
    admit(token, lifeSec) {
      const end = ends.get(token)
      if (end !== undefined) return now() < end ? 'known' : 'ended'
      ends.set(token, lifeSec === undefined ? Number.POSITIVE_INFINITY : now() + lifeSec * 1000)
      return 'new'
    },
    verify(token) {
      const end = ends.get(token)
      if (end === undefined) return { ok: false, reason: 'unknown' }
      return now() < end ? { ok: true } : { ok: false, reason: 'expired' }
    },
  }
}
