import type { FleetLoss, FleetResult, MintCause } from './fleet-result.ts'

/** What a person does. Between `sleep` and `wake`, and after `leave`, a laptop is off. */
export type PersonStep = 'begin' | 'turn' | 'sleep' | 'wake' | 'leave'

/** What happens at one simulated desktop: what its agenda brings, a mint by its cause, a run by its origin, how a turn ended. */
export type FleetEvent =
  | PersonStep
  | 'task'
  | `mint: ${MintCause}`
  | `run: ${keyof FleetResult['runs']}`
  | `turn: ${'sent' | 'rescued' | FleetLoss}`

/** Is told of each event, with its moment in milliseconds of the simulation. */
export type ObserveFleet = (desktop: number, at: number, event: FleetEvent) => void
