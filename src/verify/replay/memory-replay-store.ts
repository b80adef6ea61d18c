// Folder: the record of used single-use tokens, in memory or in a shared Redis.

import { policyLimits } from '../policy/policy-limits.ts'
import { TokenRefusal } from '../verdict.ts'

/** The default size: about 20 MB, enough for 80 new tokens a second that live for 15 minutes. */
export const defaultReplayEntries = 100_000

/**
 * Creates a store for this process alone. A full store refuses new single-use tokens until a recorded one expires: dropping a digest
 * earlier would let its token pass twice.
 */
export function createMemoryReplayStore({
  now,
  entries = defaultReplayEntries,
  outliveMs = longestOutliveMs,
}: {
  readonly now: () => number
  readonly entries?: number
  /** How much longer than its token a digest is kept. */
  readonly outliveMs?: number
}): ReplayStore {
  const used = new UsedDigests(entries, outliveMs)
  return {
    async use(digest, until) {
      used.sweep(now())
      return used.note(digest, until)
    },
    isAvailable: () => true,
    close: async () => used.clear(),
  }
}

/** The digests, also grouped by the time at which they end, so that no use has to check all of them. */
class UsedDigests {
  readonly #entries: number
  readonly #outliveMs: number
  readonly #digests = new Set<string>()
  readonly #bySpan = new Map<number, string[]>()
  #sweptSpan = 0

  constructor(entries: number, outliveMs: number) {
    this.#entries = entries
    this.#outliveMs = outliveMs
  }

  note(digest: string, until: number): 'first' | 'again' {
    if (this.#digests.has(digest)) return 'again'
    if (this.#digests.size >= this.#entries)
      throw new TokenRefusal('replay-store-unavailable', {
        note: `the memory for used tokens is full (${this.#entries}): raise its bound, or use Redis`,
      })
    this.#digests.add(digest)
    const span = Math.floor((until + this.#outliveMs) / spanMs)
    const ending = this.#bySpan.get(span)
    if (ending) ending.push(digest)
    else this.#bySpan.set(span, [digest])
    return 'first'
  }

  /** Drops the digests that ended in earlier spans. It runs once per span, also after the clock was set back. */
  sweep(now: number): void {
    const current = Math.floor(now / spanMs)
    if (current === this.#sweptSpan) return
    this.#sweptSpan = current
    for (const [span, digests] of this.#bySpan) {
      if (span >= current) continue
      for (const digest of digests) this.#digests.delete(digest)
      this.#bySpan.delete(span)
    }
  }

  clear(): void {
    this.#digests.clear()
    this.#bySpan.clear()
  }
}

/** Digests that end within the same span are dropped together. */
const spanMs = 10_000

/**
 * How much longer than its token a digest is kept, in milliseconds: a verifier whose clock is behind, or a policy with a larger
 * `clockSkewSec`, accepts the token for longer.
 */
export const longestOutliveMs = policyLimits.clockSkewSec * 1000

/** The record of used single-use tokens. */
export interface ReplayStore {
  /**
   * Records a use; `again` for every use except the first at any of the verifiers.
   * @param digest SHA-256 of `Identity.useKey`, or of the token without one.
   * @param until Epoch milliseconds from which the token is refused anyway.
   * @throws {TokenRefusal} `replay-store-unavailable` if the use cannot be recorded.
   */
  use(digest: string, until: number): Promise<'first' | 'again'>
  /** Whether uses can probably be recorded now; it sends no request. */
  isAvailable(): boolean
  close(): Promise<void>
}

/** A report of a store: each new state, and each warning once. */
export type ReplayStoreReport =
  | { readonly kind: 'available' }
  | { readonly kind: 'unavailable' | 'warning'; readonly message: string; readonly hint: string }
