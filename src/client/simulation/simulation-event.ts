import type { ClientEvent } from '../client-event.ts'

/** An event at the client, a change by the scenario, or a limit that ends a simulation early. */
export type SimulationEvent = ClientEvent | StagedEvent | LimitEvent

/** Returns the number of an event's window; `undefined` for an event of the whole client. */
export function toWindow(event: SimulationEvent): number | undefined {
  return 'session' in event ? event.session : undefined
}

/** A change by the scenario, in words; `untilAt` if it lasts for a while. */
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
