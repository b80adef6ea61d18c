import type { SimulationEvent } from '../simulation-event.ts'
import { taskWindow } from '../stage/scenario-stage.ts'

/** A simulation in numbers. */
export interface Summary {
  readonly helperRuns: number
  readonly failedRuns: number
  readonly turns: number
  /** Turns for which a person, not a task, had to wait, and how long. */
  readonly waits: { readonly turns: number; readonly totalMs: number; readonly longestMs: number }
  /** Questions and notices that a person saw: expiry, consent, banner. */
  readonly prompts: number
  readonly lostTurns: number
  /** Lost for reasons of the simulation alone; not among `lostTurns`. */
  readonly lostToSimulation: number
}

/** Counts what happened. */
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
