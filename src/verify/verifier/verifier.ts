import type { Identity, Verdict } from '../verdict.ts'

/** Says of tokens whether they pass. */
export interface Verifier {
  /**
   * What is known of a token without verifying it again; `undefined` where it has to be verified, or passes once. Counted like
   * any other verification.
   */
  find(token: string): Verdict | undefined
  /** Never rejects: what nobody foresaw refuses the token as a `defect`. */
  verify(token: string): Promise<Verdict>
  state(): VerifierState
}

/** How busy a verifier is. */
export interface VerifierState {
  readonly cacheEntries: number
  /** Verifications that have begun and not ended. */
  readonly inFlight: number
}

/** One verdict as it is given, for metrics and logs. It holds no token. */
export interface Observation {
  readonly verdict: Verdict
  /** `request`: there was no token to verify. */
  readonly source: 'cache' | 'verification' | 'request'
  /** `undefined` where the form of the token does not say. */
  readonly kind: Identity['kind'] | undefined
  readonly ms: number
}
