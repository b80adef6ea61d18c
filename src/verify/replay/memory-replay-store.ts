// Folder: the record of used single-use tokens, in memory or in a shared Redis.

import { policyLimits } from '../policy/policy-limits.ts'
import { TokenRefusal } from '../verdict.ts'

/** The default number of remembered tokens: about 20 MB, or 80 new tokens a second that live for 15 minutes. */
export const defaultReplayEntries = 100_000

/**
 * Creates a store for this process alone. When it is full, no new single-use token passes until a remembered one has ended: if its
 * digest were dropped before, that token would pass twice.
 */
export function createMemoryReplayStore({
  now,
  entries = defaultReplayEntries,
  outliveMs = longestOutliveMs,
}: {
  readonly now: () => number
  readonly entries?: number
  /** How long a digest outlives its token. */
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

/** The digests, also listed by the span in which they end, so that no use has to look at all of them. */
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

  /** Drops the digests that ended in earlier spans. It looks once per span, also after the clock was set back. */
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
 * A digest outlives its token by this, in milliseconds, because verifiers whose clocks are behind accept the token for longer, and so
 * does a policy whose `clockSkewSec` has grown.
 */
export const longestOutliveMs = policyLimits.clockSkewSec * 1000

/** Remembers the digests of used single-use tokens. */
export interface ReplayStore {
  /**
   * Records a use; `again` for every use except the first, whichever verifier saw that.
   * @param digest SHA-256 of `Identity.useKey`, or of the token if it has none.
   * @param until Epoch milliseconds from which on the token is refused anyway.
   * @throws {TokenRefusal} `replay-store-unavailable` if nobody can tell.
   */
  use(digest: string, until: number): Promise<'first' | 'again'>
  /** Whether uses can be recorded now, as far as is known; it sends no request. */
  isAvailable(): boolean
  close(): Promise<void>
}

/** A report of a store: each state when it begins, each warning once. */
export type ReplayStoreReport =
  | { readonly kind: 'available' }
  | { readonly kind: 'unavailable' | 'warning'; readonly message: string; readonly hint: string }
