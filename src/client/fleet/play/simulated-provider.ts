import type { FleetSettings } from '../fleet-settings.ts'

/** The identity provider of a simulated fleet, which counts the requests of each second. */
export class SimulatedProvider {
  readonly #settings: FleetSettings
  readonly #perSec: Uint32Array
  readonly #offsetMs: number

  /** @param offsetMs When the counted day begins, in milliseconds of the simulation. */
  constructor(settings: FleetSettings, seconds: number, offsetMs: number) {
    this.#settings = settings
    this.#perSec = new Uint32Array(seconds)
    this.#offsetMs = offsetMs
  }

  /** One request: what becomes of it. */
  ask(at: number): 'token' | 'throttled' | 'unreachable' {
    if (this.#isOut(at)) return 'unreachable'
    const second = Math.floor(at / 1000)
    const count = this.#perSec[second]! + 1
    this.#perSec[second] = count
    const { quotaPerSec } = this.#settings.provider
    return quotaPerSec !== undefined && count > quotaPerSec ? 'throttled' : 'token'
  }

  /** How long the answer takes under the load of its second so far, in milliseconds. */
  computeLatencyMs(at: number): number {
    const { latency } = this.#settings.provider
    const perSec = this.#perSec[Math.floor(at / 1000)]!
    let below = latency[0]!
    for (const above of latency) {
      if (perSec <= above[0]) return interpolate(below, above, perSec)
      below = above
    }
    return below[1]
  }

  /** When the tokens of this moment are revoked; infinite where they never are. */
  findRevocation(minted: number): number {
    for (const at of this.#settings.revocations) {
      const revokedAt = this.#offsetMs + at * 1000
      if (revokedAt > minted) return revokedAt
    }
    return Number.POSITIVE_INFINITY
  }

  #isOut(moment: number): boolean {
    for (const { at, forSec } of this.#settings.outages) {
      const begin = this.#offsetMs + at * 1000
      if (moment >= begin && moment < begin + forSec * 1000) return true
    }
    return false
  }
}

type Point = FleetSettings['provider']['latency'][number]

function interpolate(below: Point, above: Point, perSec: number): number {
  if (perSec <= below[0]) return below[1]
  return below[1] + ((perSec - below[0]) / (above[0] - below[0])) * (above[1] - below[1])
}
