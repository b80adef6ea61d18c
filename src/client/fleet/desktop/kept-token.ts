import { type FleetContext, fleetContexts } from './fleet-context.ts'

/** The token that a simulated helper keeps on its disk. */
export class KeptToken {
  static readonly size = 6
  minted = Number.NEGATIVE_INFINITY
  expiresAt = Number.NEGATIVE_INFINITY
  context: FleetContext = 'interactive'
  /** By which part of the longest time it is renewed early. */
  fraction = 0
  /** What of that is the same for all tokens of this desktop. */
  fractionOfMachine = 0
  /** When an early renewal began that came to nothing, or is under way. */
  triedAt = Number.NEGATIVE_INFINITY

  load(state: Float64Array, at: number): void {
    this.minted = state[at]!
    this.expiresAt = state[at + 1]!
    this.context = fleetContexts[state[at + 2]!]!
    this.fraction = state[at + 3]!
    this.triedAt = state[at + 4]!
    this.fractionOfMachine = state[at + 5]!
  }

  save(state: Float64Array, at: number): void {
    state[at] = this.minted
    state[at + 1] = this.expiresAt
    state[at + 2] = fleetContexts.indexOf(this.context)
    state[at + 3] = this.fraction
    state[at + 4] = this.triedAt
    state[at + 5] = this.fractionOfMachine
  }
}
