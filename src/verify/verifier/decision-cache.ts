import type { Decision } from './decision.ts'

/** By how much a clock may be set back, in milliseconds, before what was decided earlier is decided again. */
const longestStepMs = 2_000

interface Entry {
  readonly decision: Decision
  /** Epoch milliseconds: when it was decided. */
  readonly since: number
}

/** Decisions by the digest of the token, as many as fit. */
export class DecisionCache {
  readonly #most: number
  /** In the order in which they were last used, because a `Map` keeps the order in which keys are set. */
  readonly #entries = new Map<string, Entry>()

  constructor(most: number) {
    this.#most = most
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
    this.#entries.delete(digest)
    if (entry.decision.until <= now || entry.since - now > longestStepMs) return undefined
    this.#entries.set(digest, entry)
    return entry.decision
  }

  /** @param now Epoch milliseconds. */
  add(digest: string, decision: Decision, now: number): void {
    if (decision.until <= now) return
    this.#entries.set(digest, { decision, since: now })
    if (this.#entries.size <= this.#most) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}
