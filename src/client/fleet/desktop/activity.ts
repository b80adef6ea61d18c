import { type FleetContext, fleetContexts } from './fleet-context.ts'

const kinds = ['nothing', 'begin', 'turn', 'task'] as const
const purposes = ['none', 'start', 'before-turn', 'after-refusal'] as const

/** What a simulated desktop does now, and the run of its helper for that. Moments are milliseconds of the simulation. */
export class Activity {
  static readonly size = 9
  kind: (typeof kinds)[number] = 'nothing'
  /** When it was to begin. */
  at = 0
  /** Whether the gateway refuses the turn although its token is good. */
  isRefusedAnyhow = false
  /** What the last run is for; `none` where the activity has needed none yet. */
  purpose: (typeof purposes)[number] = 'none'
  context: FleetContext = 'interactive'
  runStartedAt = 0
  /** Whether the run can do without a new token, because the kept one is only to be renewed early. */
  isEarly = false
  /** How often the run has asked the provider, and when it asks next. */
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
