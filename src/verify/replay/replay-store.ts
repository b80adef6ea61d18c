import { policyLimits } from '../policy/limits.ts'

/**
 * A digest outlives its token by this, in milliseconds: verifiers whose clocks run behind accept the token for longer, and so does a
 * policy that has begun to allow for clocks that differ.
 */
export const outliveMs = policyLimits.clockSkewSec * 1000

/** Remembers the digests of tokens that are accepted once. */
export interface ReplayStore {
  /**
   * Notes a use; `again` for every use but the first, whichever verifier saw that.
   * @param digest SHA-256 of `Identity.useKey`, or of the token where it has none.
   * @param until Epoch milliseconds, from when on the token is refused anyway.
   * @throws {TokenRefusal} `replay-store-unavailable` where this cannot be found out.
   */
  use(digest: string, until: number): Promise<'first' | 'again'>
  /** Whether uses can be noted now, as far as is known; nothing is asked for it. */
  isAvailable(): boolean
  close(): Promise<void>
}

/** What a store says of itself: each state when it begins, each warning once. */
export type ReplayStoreReport =
  | { readonly kind: 'available' }
  | { readonly kind: 'unavailable' | 'warning'; readonly message: string; readonly hint: string }
