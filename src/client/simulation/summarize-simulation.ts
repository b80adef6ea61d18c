import { exitStatus, toOneLine } from '../../runtime/failure.ts'
import { renderCounted } from '../../runtime/text/counted.ts'
import { programName } from '../../version.ts'
import { selectFirstLine } from '../launch/launch.ts'
import { renderTime } from './render-timeline.ts'
import { taskWindow } from './scenario-stage.ts'
import type { SimulationEvent } from './simulation-event.ts'

/** The numbers of helper runs, sign-ins and renewals of a simulation, and of their failures. */
export interface Summary {
  readonly helperRuns: number
  readonly failedRuns: number
  readonly signIns: number
  readonly failedSignIns: number
  readonly renewals: number
  readonly failedRenewals: number
  /** The requests to the configuration server, and the restarts of the client; absent without a server. */
  readonly served?: { readonly requests: number; readonly failed: number; readonly restarts: number }
  readonly turns: number
  /** The turns for which a person had to wait, and how long; without turns of tasks. */
  readonly waits: { readonly turns: number; readonly totalMs: number; readonly longestMs: number }
  /** The prompts that a person saw: expiry, consent, banner. */
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
  const requests = count('document-served', 'document-refused')
  return {
    helperRuns: count('helper-started'),
    failedRuns: count('helper-failed'),
    signIns: count('sign-in-started'),
    failedSignIns: count('sign-in-failed'),
    renewals: count('renewal-started'),
    failedRenewals: count('renewal-failed'),
    ...(requests > 0 && { served: { requests, failed: count('document-refused'), restarts: count('relaunched') } }),
    turns: turns.length,
    waits: {
      turns: waits.length,
      totalMs: waits.reduce((sum, ms) => sum + ms, 0),
      longestMs: Math.max(0, ...waits),
    },
    prompts: count('expiry-prompt', 'consent-asked', 'reauthenticate-banner', 'restart-asked'),
    lostTurns: count('turn-failed') - lostToSimulation,
    lostToSimulation,
  }
}

/** Renders the result in one sentence: whether every turn succeeded. */
export function renderVerdict({ turns, lostTurns, lostToSimulation }: Summary): string {
  if (turns === 0) return 'No turn was sent.'
  const ofAll = `of ${renderCounted(turns, 'turn')}`
  if (lostTurns > 0) return `${lostTurns} ${ofAll} ${lostTurns === 1 ? 'was' : 'were'} lost.`
  if (lostToSimulation === 0) return 'No turn was lost.'
  return `${lostToSimulation} ${ofAll} must be tried on a real day: the simulation cannot show what becomes of ${lostToSimulation === 1 ? 'it' : 'them'}.`
}

/** Explains the numbers to the document's author, in a sentence or two each; empty if every turn succeeded. */
export function describeConclusions(events: readonly SimulationEvent[]): string[] {
  const { lostToSimulation } = summarize(events)
  const asked = events.filter(isAskingForPerson)
  const said = selectFirstLine(asked[0]?.stderr ?? '')
  return [
    ...(asked[0] === undefined
      ? []
      : [
          `${asked.length} ${asked.length === 1 ? 'run' : 'runs'} of the helper, from ${renderTime(asked[0].at)} on, ended with status ${exitStatus['sign-in-required']}: from then on only a sign-in gives a token, and turns are lost until a person starts a new session.${said === '' ? '' : ` The helper said: ${toOneLine(said)}`}`,
        ]),
    ...(lostToSimulation === 0
      ? []
      : [
          `Not shown: what becomes of ${lostToSimulation === 1 ? 'the turn' : `the ${lostToSimulation} turns`} for which the helper printed a token again that had ended in simulated time. If nothing renews that token without a person, they are lost on a real day as well: switch the helper's own cache off here, or ask ${programName} check-helper.`,
        ]),
  ]
}

/** Returns whether a run ended with the exit status that requests a person. */
function isAskingForPerson(event: SimulationEvent): event is SimulationEvent & { readonly type: 'helper-failed' } {
  const isByStatus = event.type === 'helper-failed' && event.reason === 'exit-status'
  return isByStatus && event.message.endsWith(` ${exitStatus['sign-in-required']}`)
}
