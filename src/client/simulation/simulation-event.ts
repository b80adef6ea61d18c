import type { ClientEvent } from '../client-event.ts'

/** An event at the client, a change by the scenario, or the limit at which a simulation ends early. */
export type SimulationEvent = ClientEvent | StagedEvent | LimitEvent

/** The window that an event belongs to, by its number; `undefined` for an event of the client as a whole. */
export function toWindow(event: SimulationEvent): number | undefined {
  return 'session' in event ? event.session : undefined
}

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
