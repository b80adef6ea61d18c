import type { CredentialVerdict } from './messages-api.ts'

/** Creates an empty ledger. `now` gives epoch milliseconds, so that tokens can expire in simulated time. */
export function createTokenLedger(now: () => number): TokenLedger {
  const expiries = new Map<string, number>()
  return {
    register(token, lifeSec, print = 'maybe again') {
      const expiresAt = print === 'fresh' ? undefined : expiries.get(token)
      if (expiresAt !== undefined) return now() < expiresAt ? 'known' : 'ended'
      expiries.set(token, lifeSec === undefined ? Number.POSITIVE_INFINITY : now() + lifeSec * 1000)
      return 'new'
    },
    revokeAll() {
      for (const token of expiries.keys()) expiries.set(token, Number.NEGATIVE_INFINITY)
    },
    verify(token) {
      const expiresAt = expiries.get(token)
      if (expiresAt === undefined) return { ok: false, reason: 'unknown' }
      if (now() < expiresAt) return { ok: true }
      return { ok: false, reason: expiresAt === Number.NEGATIVE_INFINITY ? 'revoked' : 'expired' }
    },
  }
}

/** The tokens that a gateway knows, and when each of them expires. */
interface TokenLedger {
  /**
   * Adds a token whose life begins now; without `lifeSec` it does not expire. A known token keeps its expiry, unless it is
   * `fresh`: minted again with the same text.
   */
  register(token: string, lifeSec: number | undefined, print?: 'fresh' | 'maybe again'): 'new' | 'known' | 'ended'
  /** Revokes every token that is known, as after a leak. */
  revokeAll(): void
  verify(token: string): CredentialVerdict
}
