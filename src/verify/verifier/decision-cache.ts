// Holds decisions by the digest of their token, bounded in number and size; `decision-memory.ts` has those of one policy.

import { isStillValid } from '../verdict.ts'
import type { VerifierLimits } from './verifier.ts'

/**
 * Decisions by the digest of the token, limited in number and size.
 * @property until The end of a decision's validity in epoch milliseconds.
 */
export class DecisionCache<Decision extends { readonly until: number }> {
  readonly #limits: Pick<VerifierLimits, 'cacheEntries' | 'cacheBytes'>
  /** The entries in the order in which they were added or kept again: a `Map` keeps the order in which its keys were set. */
  readonly #entries = new Map<string, KeptDecision<Decision>>()
  #bytes = 0

  constructor(limits: Pick<VerifierLimits, 'cacheEntries' | 'cacheBytes'>) {
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.size
  }

  /** @param now Epoch milliseconds. */
  find(digest: string, now: number): Decision | undefined {
    const entry = this.#entries.get(digest)
    if (!entry) return undefined
    if (!isStillValid(entry.decision.until, entry.since, now)) {
      this.#delete(digest, entry)
      return undefined
    }
    entry.isUsed = true
    return entry.decision
  }

  /**
   * Adds a decision. If there is no room, the oldest decision that was not used is dropped, and a used one is kept once more: keeping the
   * exact order of use would take longer, for each lookup, than everything else here.
   * @param now Epoch milliseconds.
   */
  add(digest: string, decision: Decision, { now, bytes }: { readonly now: number; readonly bytes: number }): void {
    if (decision.until <= now) return
    const earlier = this.#entries.get(digest)
    if (earlier) this.#delete(digest, earlier)
    this.#set(digest, { decision, since: now, bytes, isUsed: false })
    const { cacheEntries, cacheBytes } = this.#limits
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= cacheEntries && this.#bytes <= cacheBytes) return
      this.#delete(oldest, entry)
      const isSpared = oldest === digest ? this.#entries.size > 0 : entry.isUsed
      if (isSpared) this.#set(oldest, { ...entry, isUsed: false })
    }
  }

  #set(digest: string, entry: KeptDecision<Decision>): void {
    this.#entries.set(digest, entry)
    this.#bytes += entry.bytes
  }

  #delete(digest: string, { bytes }: KeptDecision<Decision>): void {
    this.#entries.delete(digest)
    this.#bytes -= bytes
  }
}

interface KeptDecision<Decision> {
  readonly decision: Decision
  /** When the decision was made, in epoch milliseconds. */
  readonly since: number
  /** The size of the token, whose claims the decision contains, or of its provider's answer. */
  readonly bytes: number
  /** Whether it was found since it was added or kept again. */
  isUsed: boolean
}
