import type { FleetChoice, FleetSettings } from '../fleet-settings.ts'

/** A fleet of any size, and its day. */
export interface FleetScenario {
  readonly summary: string
  readonly day: Omit<FleetSettings, 'desktops' | 'seed'>
  /** What is compared; values that are absent are the defaults of the first, or those of the first in the second. */
  readonly choices: readonly Partial<ComparedChoice>[]
}

/** What an administrator chooses, in the document, on the machine and at the identity provider. */
export interface ComparedChoice extends FleetChoice {
  readonly tokenLifeSec: number
}
