import { TokenRefusal } from '../token-refusal.ts'
import { outliveMs, type ReplayStore } from './replay-store.ts'

/** How many tokens are remembered if nothing else is said: about 20 MB, or 80 new tokens a second that live for 15 minutes. */
export const defaultReplayEntries = 100_000

/** Digests that end within the same span are dropped together. */
const spanMs = 10_000

/**
 * A store of this process alone. Where it is full no token that is accepted once passes until one of them has ended: a digest
 * that is dropped before would let its token pass twice.
 */
export function createMemoryReplayStore({
  now,
  entries = defaultReplayEntries,
}: {
  readonly now: () => number
  readonly entries?: number
}): ReplayStore {
  const used = new UsedDigests(entries)
  return {
    async use(digest, until) {
      used.sweep(now())
      return used.note(digest, until)
    },
    isAvailable: () => true,
    close: async () => used.clear(),
  }
}

/** The digests, and by the span in which they end the lists of them, so that no use has to look at all of them. */
class UsedDigests {
  readonly #entries: number
  readonly #digests = new Set<string>()
  readonly #bySpan = new Map<number, string[]>()
  #sweptSpan = 0

  constructor(entries: number) {
    this.#entries = entries
  }

  note(digest: string, until: number): 'first' | 'again' {
    if (this.#digests.has(digest)) return 'again'
    if (this.#digests.size >= this.#entries)
      throw new TokenRefusal('replay-store-unavailable', {
        note: `the memory for used tokens is full (${this.#entries}): raise its bound, or use Redis`,
      })
    this.#digests.add(digest)
    const span = Math.floor((until + outliveMs) / spanMs)
    const ending = this.#bySpan.get(span)
    if (ending) ending.push(digest)
    else this.#bySpan.set(span, [digest])
    return 'first'
  }

  /** Drops what ended in earlier spans; looks for it once in a span, also after a clock that was ahead was set back. */
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
