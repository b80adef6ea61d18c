import type { ClientEvent } from '../timeline/client-event.ts'

/** What the scenario does to the client, in words; `untilAt` if it lasts. */
interface StagedEvent {
  readonly type: 'staged'
  readonly at: number
  readonly words: string
  readonly untilAt?: number
}

/** A turn that was lost because of the simulation, not because of the helper. */
interface LimitEvent {
  readonly type: 'simulation-limit'
  readonly at: number
  readonly session?: number
  readonly words: string
}

/** Everything that happens in a simulation. */
export type SimulationEvent = ClientEvent | StagedEvent | LimitEvent
