import type { SimulationEvent } from '../simulation-event.ts'
import { taskWindow } from '../stage/scenario-stage.ts'

/** A simulation in numbers. */
export interface Summary {
  readonly helperRuns: number
  readonly failedRuns: number
  readonly signIns: number
  readonly failedSignIns: number
  readonly renewals: number
  readonly failedRenewals: number
  readonly turns: number
  /** Turns for which a person had to wait, and how long; turns of tasks do not count. */
  readonly waits: { readonly turns: number; readonly totalMs: number; readonly longestMs: number }
  /** Prompts that a person saw: expiry, consent, banner. */
  readonly prompts: number
  readonly lostTurns: number
  /** Turns lost because of the simulation; `lostTurns` does not include them. */
  readonly lostToSimulation: number
}

/** Counts the events of a simulation; pure. */
export function summarize(events: readonly SimulationEvent[]): Summary {
  const count = (...types: readonly SimulationEvent['type'][]) =>
    events.filter(({ type }) => types.includes(type)).length
  const turns = events.filter((event) => event.type === 'turn-succeeded' || event.type === 'turn-failed')
  const waits = turns
    .filter(({ session, waitedMs }) => session !== taskWindow && waitedMs > 0)
    .map(({ waitedMs }) => waitedMs)
  const lostToSimulation = count('simulation-limit')
  return {
    helperRuns: count('helper-started'),
    failedRuns: count('helper-failed'),
    signIns: count('sign-in-started'),
    failedSignIns: count('sign-in-failed'),
    renewals: count('renewal-started'),
    failedRenewals: count('renewal-failed'),
    turns: turns.length,
    waits: {
      turns: waits.length,
      totalMs: waits.reduce((sum, ms) => sum + ms, 0),
      longestMs: Math.max(0, ...waits),
    },
    prompts: count('expiry-prompt', 'consent-asked', 'reauthenticate-banner'),
    lostTurns: count('turn-failed') - lostToSimulation,
    lostToSimulation,
  }
}
