import type { CredentialAge } from '../../credentials/credential-timing.ts'

/** The credential that a simulated client has in memory. */
export class ClientMemory implements CredentialAge {
  static readonly size = 5
  since = Number.NEGATIVE_INFINITY
  isRefused = false
  /** When its token was minted, and when that ends. */
  minted = Number.NEGATIVE_INFINITY
  expiresAt = Number.NEGATIVE_INFINITY
  /** Whether the person's session began without a credential, and uses none that an earlier one had. */
  isExcluded = false

  load(state: Float64Array, at: number): void {
    this.since = state[at]!
    this.isRefused = state[at + 1] === 1
    this.minted = state[at + 2]!
    this.expiresAt = state[at + 3]!
    this.isExcluded = state[at + 4] === 1
  }

  save(state: Float64Array, at: number): void {
    state[at] = this.since
    state[at + 1] = Number(this.isRefused)
    state[at + 2] = this.minted
    state[at + 3] = this.expiresAt
    state[at + 4] = Number(this.isExcluded)
  }
}
