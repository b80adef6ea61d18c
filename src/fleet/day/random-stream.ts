import { computeAvalanche } from '../../runtime/files/fingerprint.ts'

/**
 * Random numbers that are equal on every platform: xoroshiro64** (Blackman and Vigna). The state is two words, so that each desktop of a
 * large fleet can have independent streams.
 */
export class RandomStream {
  /** How many numbers its state has. */
  static readonly size = 2
  #a = 1
  #b = 0

  /** Starts a separate stream for each combination of numbers. */
  seed(seed: number, desktop: number, purpose: number): void {
    this.#a = computeAvalanche(
      computeAvalanche(seed ^ 0x9e3779b9) ^
        computeAvalanche(desktop + 0x85ebca6b) ^
        computeAvalanche(purpose + 0x27d4eb2f),
    )
    this.#b = computeAvalanche(this.#a + desktop) | 1 // a state of zeros would never change
  }

  /** Draws a number of at least 0, below 1. */
  next(): number {
    const a = this.#a
    const mixed = Math.imul(a, 0x9e3779bb)
    const b = this.#b ^ a
    this.#a = ((a << 26) | (a >>> 6)) ^ b ^ (b << 9)
    this.#b = (b << 13) | (b >>> 19)
    return (Math.imul((mixed << 5) | (mixed >>> 27), 5) >>> 0) / 0x1_0000_0000
  }

  /** Draws the time until the next event of a Poisson process. */
  nextExponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean
  }

  /** Draws from the normal distribution (Box–Muller transform). */
  nextNormal(mean: number, deviation: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()))
    return mean + deviation * radius * Math.cos(2 * Math.PI * this.next())
  }

  load(state: Float64Array, at: number): void {
    this.#a = state[at]! | 0
    this.#b = state[at + 1]! | 0
  }

  save(state: Float64Array, at: number): void {
    state[at] = this.#a
    state[at + 1] = this.#b
  }
}
