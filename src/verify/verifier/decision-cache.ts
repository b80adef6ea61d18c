import type { Decision } from './decision.ts'

/** Decisions by the digest of the token, as many as fit. */
export class DecisionCache {
  readonly #most: number
  /** In the order in which they were last used, because a `Map` keeps the order in which keys are set. */
  readonly #decisions = new Map<string, Decision>()

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#decisions.size
  }

  /** @param now Epoch milliseconds. */
  find(digest: string, now: number): Decision | undefined {
    const decision = this.#decisions.get(digest)
    if (!decision) return undefined
    this.#decisions.delete(digest)
    if (decision.until <= now) return undefined
    this.#decisions.set(digest, decision)
    return decision
  }

  add(digest: string, decision: Decision): void {
    this.#decisions.set(digest, decision)
    if (this.#decisions.size <= this.#most) return
    const [oldest] = this.#decisions.keys()
    if (oldest !== undefined) this.#decisions.delete(oldest)
  }
}
