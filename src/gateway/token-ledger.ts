import type { CredentialVerdict } from './messages-api.ts'

/**
 * Creates an empty ledger.
 * @param now Returns epoch milliseconds, real or simulated.
 */
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

/** The tokens that a gateway accepts, with their expiry. */
interface TokenLedger {
  /**
   * Adds a token, whose life begins now; without `lifeSec` it does not expire. A known token keeps its expiry, unless it is `fresh`, that
   * is, minted again with the same text.
   */
  register(token: string, lifeSec: number | undefined, print?: 'fresh' | 'maybe again'): 'new' | 'known' | 'ended'
  /** Revokes every known token, as an operator does after a leak. */
  revokeAll(): void
  verify(token: string): CredentialVerdict
}
