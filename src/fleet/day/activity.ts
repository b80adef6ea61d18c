import type { CredentialAge } from '../../client/credentials/credential-timing.ts'
import type { ClientContext } from '../../contract/context.ts'

/** The present activity of a simulated desktop, and its helper run. Times are milliseconds of the simulation. */
export class Activity {
  static readonly size = 9
  kind: (typeof kinds)[number] = 'nothing'
  /** When it was due. */
  at = 0
  /** Whether the gateway refuses the turn although its token is valid. */
  isRefusedAnyhow = false
  /** The purpose of the last run; `none` if the activity has not needed a run yet. */
  purpose: (typeof purposes)[number] = 'none'
  context: FleetContext = 'interactive'
  runStartedAt = 0
  /** Whether the run may fail without a new token, because it only renews the kept token early. */
  isEarly = false
  /** How many requests the run has sent to the provider, and when it sends the next one. */
  attempts = 0
  requestAt = 0

  load(state: Float64Array, at: number): void {
    this.kind = kinds[state[at]!]!
    this.at = state[at + 1]!
    this.isRefusedAnyhow = state[at + 2] === 1
    this.purpose = purposes[state[at + 3]!]!
    this.context = fleetContexts[state[at + 4]!]!
    this.runStartedAt = state[at + 5]!
    this.attempts = state[at + 6]!
    this.requestAt = state[at + 7]!
    this.isEarly = state[at + 8] === 1
  }

  save(state: Float64Array, at: number): void {
    state[at] = kinds.indexOf(this.kind)
    state[at + 1] = this.at
    state[at + 2] = Number(this.isRefusedAnyhow)
    state[at + 3] = purposes.indexOf(this.purpose)
    state[at + 4] = fleetContexts.indexOf(this.context)
    state[at + 5] = this.runStartedAt
    state[at + 6] = this.attempts
    state[at + 7] = this.requestAt
    state[at + 8] = Number(this.isEarly)
  }
}

const kinds = ['nothing', 'begin', 'turn', 'task'] as const
const purposes = ['none', 'start', 'before-turn', 'after-refusal'] as const

/** The contexts in which simulated clients run their helper. A desktop stores the index of one. */
const fleetContexts = [
  'interactive',
  'scheduled-task',
  'mid-session-refresh',
] as const satisfies readonly ClientContext[]

/** The context in which a simulated client runs its helper. */
export type FleetContext = (typeof fleetContexts)[number]

/** The token that a simulated helper keeps on its disk. */
export class KeptToken {
  static readonly size = 6
  minted = Number.NEGATIVE_INFINITY
  expiresAt = Number.NEGATIVE_INFINITY
  context: FleetContext = 'interactive'
  /** The fraction of the longest early time by which it is renewed early. */
  fraction = 0
  /** The part of that fraction that is equal for all tokens of this desktop. */
  fractionOfMachine = 0
  /** When an early renewal began that failed or is in progress. */
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

/** The credential that a simulated client has in memory. */
export class ClientMemory implements CredentialAge {
  static readonly size = 5
  since = Number.NEGATIVE_INFINITY
  isRefused = false
  /** When its token was minted, and when it expires. */
  minted = Number.NEGATIVE_INFINITY
  expiresAt = Number.NEGATIVE_INFINITY
  /** Whether the person's session began without a credential, and so does not use that of an earlier session. */
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
