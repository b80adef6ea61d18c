/**
 * Random numbers that are the same on every platform: xoroshiro64** by Blackman and Vigna. Its state is two words, so that each
 * desktop of a large fleet has streams of its own, and what one of them draws changes nothing for the others.
 */
export class RandomStream {
  /** The numbers of its state. */
  static readonly size = 2
  #a = 1
  #b = 0

  /** Begins a stream of its own for each combination of numbers. */
  seed(seed: number, desktop: number, purpose: number): void {
    this.#a = mix(mix(seed ^ 0x9e3779b9) ^ mix(desktop + 0x85ebca6b) ^ mix(purpose + 0x27d4eb2f))
    this.#b = mix(this.#a + desktop) | 1 // a state of zeros would never change
  }

  /** At least 0, below 1. */
  next(): number {
    const a = this.#a
    const mixed = Math.imul(a, 0x9e3779bb)
    const b = this.#b ^ a
    this.#a = ((a << 26) | (a >>> 6)) ^ b ^ (b << 9)
    this.#b = (b << 13) | (b >>> 19)
    return (Math.imul((mixed << 5) | (mixed >>> 27), 5) >>> 0) / 0x1_0000_0000
  }

  /** The time until the next event of a Poisson process. */
  nextExponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean
  }

  /** By the normal distribution (Box and Muller). */
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

/** The last step of MurmurHash3: each bit of the input changes half of the output's. */
function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
