import type { Decision } from './decision.ts'
import type { VerifierLimits } from './limits.ts'

/** By how much a clock may be set back, in milliseconds, before what was decided earlier is decided again. */
const longestStepMs = 2_000

interface Entry {
  readonly decision: Decision
  /** Epoch milliseconds: when it was decided. */
  readonly since: number
  /** Of its token, whose claims the decision holds. */
  readonly bytes: number
}

/** Decisions by the digest of the token, as many as fit. */
export class DecisionCache {
  readonly #limits: Pick<VerifierLimits, 'cacheEntries' | 'cacheBytes'>
  /** In the order in which they were last used, because a `Map` keeps the order in which keys are set. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(limits: Pick<VerifierLimits, 'cacheEntries' | 'cacheBytes'>) {
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.size
  }

  /**
   * A decision holds from when it was made: after a clock was set back it would hold for longer than anybody meant.
   * @param now Epoch milliseconds.
   */
  find(digest: string, now: number): Decision | undefined {
    const entry = this.#entries.get(digest)
    if (!entry) return undefined
    this.#delete(digest, entry)
    if (entry.decision.until <= now || entry.since - now > longestStepMs) return undefined
    this.#set(digest, entry)
    return entry.decision
  }

  /** @param now Epoch milliseconds. */
  add(digest: string, decision: Decision, { now, bytes }: { readonly now: number; readonly bytes: number }): void {
    if (decision.until <= now) return
    const earlier = this.#entries.get(digest)
    if (earlier) this.#delete(digest, earlier)
    this.#set(digest, { decision, since: now, bytes })
    const { cacheEntries, cacheBytes } = this.#limits
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= cacheEntries && this.#bytes <= cacheBytes) return
      this.#delete(oldest, entry)
    }
  }

  #set(digest: string, entry: Entry): void {
    this.#entries.set(digest, entry)
    this.#bytes += entry.bytes
  }

  #delete(digest: string, { bytes }: Entry): void {
    this.#entries.delete(digest)
    this.#bytes -= bytes
  }
}
