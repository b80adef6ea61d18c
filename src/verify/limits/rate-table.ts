import type { RequestRate } from '../policy/request-rate.ts'

/**
 * How much of their rate many keys have used. Each key has a bucket of tokens, which is one number: the time at which it would be full again
 * (the generic cell rate algorithm). A bucket that is not in the table is full.
 */
export class RateTable {
  readonly #half: number
  /** Two generations: when the newer one is full, the older one is dropped, which holds only what was not used since. */
  #newer = new Map<string, number>()
  #older = new Map<string, number>()

  /** @param entries How many keys are remembered. A key that is dropped has a full bucket, so that nobody is refused for another's sake. */
  constructor(entries: number) {
    this.#half = Math.ceil(entries / 2)
  }

  get size(): number {
    return this.#newer.size + this.#older.size
  }

  /** Takes one request from the bucket. @returns 0, or the milliseconds until there is one, and nothing is taken. */
  take(key: string, rate: RequestRate, now: number): number {
    const { eachMs, windowMs } = toTimes(rate)
    const next = this.#findFullAt(key, rate, now) + eachMs
    const waitMs = next - now - windowMs
    if (waitMs > roundingMs) return waitMs
    this.#set(key, next)
    return 0
  }

  /** The milliseconds until the bucket has a request; 0 if it has one. */
  findWait(key: string, rate: RequestRate, now: number): number {
    const { eachMs, windowMs } = toTimes(rate)
    const waitMs = this.#findFullAt(key, rate, now) + eachMs - now - windowMs
    return waitMs > roundingMs ? waitMs : 0
  }

  /** Learns that others have used the bucket too. @param fullInMs When it is full again. */
  learn(key: string, fullInMs: number, now: number): void {
    const known = this.#newer.get(key) ?? this.#older.get(key) ?? 0
    if (now + fullInMs > known) this.#set(key, now + fullInMs)
  }

  /** After the clock was set back, or with a smaller rate of a new policy, a key waits no longer than with an empty bucket. */
  #findFullAt(key: string, rate: RequestRate, now: number): number {
    const known = this.#newer.get(key) ?? this.#older.get(key) ?? now
    return Math.min(Math.max(known, now), now + toTimes(rate).longestMs)
  }

  #set(key: string, fullAt: number): void {
    this.#older.delete(key)
    this.#newer.set(key, fullAt)
    if (this.#newer.size < this.#half) return
    this.#older = this.#newer
    this.#newer = new Map()
  }
}

/** Sums of fractions of milliseconds are not exact. */
const roundingMs = 1e-6

/**
 * A rate as times: of one request, until an empty bucket is full, and until one is full that owes as much as can be. A bucket owes where
 * several processes let requests pass before they hear of each other.
 */
export function toTimes({ requests, everySec, burst }: RequestRate) {
  const eachMs = (everySec * 1000) / requests
  return { eachMs, windowMs: eachMs * burst, longestMs: eachMs * burst * 2 }
}
