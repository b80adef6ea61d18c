import type { ClientEvent } from '../timeline/client-event.ts'

/** What the scenario does to the client, in words; `untilAt` where it lasts. */
export interface StagedEvent {
  readonly type: 'staged'
  readonly at: number
  readonly words: string
  readonly untilAt?: number
}

/** A lost turn for which the simulation is to blame, and not the helper. */
export interface LimitEvent {
  readonly type: 'simulation-limit'
  readonly at: number
  readonly session?: number
  readonly words: string
}

/** Everything that happens in a simulation. */
export type SimulationEvent = ClientEvent | StagedEvent | LimitEvent
