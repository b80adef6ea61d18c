import type { FleetResult } from '../fleet-result.ts'
import type { ComparedChoice } from '../scenario/fleet-scenario.ts'

/** One choice, and what came of the fleet's day under it. */
export interface PlayedChoice {
  readonly choice: ComparedChoice
  readonly result: FleetResult
}

/** A fleet, and its day under one choice or two. */
export interface PlayedFleet {
  /** The name or the file of its scenario. */
  readonly name: string
  readonly summary: string
  readonly desktops: number
  readonly seed: number
  readonly played: readonly PlayedChoice[]
}

/** The names of the choices, in their order. */
export const choiceNames = ['A', 'B'] as const
