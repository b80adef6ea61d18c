import type { ClientEvent } from '../client-event.ts'

/** A change that the scenario makes, in words; `untilAt` if it lasts for a while. */
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

/** Any event of a simulation. */
export type SimulationEvent = ClientEvent | StagedEvent | LimitEvent
