import { renderCounted } from '../../runtime/text/counted.ts'
import { renderMs } from '../../runtime/values/duration.ts'
import { describeEvent, type Paint, renderTime } from './render-timeline.ts'
import { taskWindow } from './scenario-stage.ts'
import { type SimulationEvent, toWindow } from './simulation-event.ts'
import type { Summary } from './summarize-simulation.ts'

/** Renders events for a person, one a line, with the simulated time in UTC. */
export function renderSimulation(events: readonly SimulationEvent[], detail: Detail, paint: Paint): string {
  const hasWindows = new Set(events.map(toWindow).filter((window) => window !== undefined)).size > 1
  const line = (at: number, words: string, window?: number) =>
    `${paint('quiet', renderTime(at))}  ${hasWindows && window !== undefined ? `${renderWindowName(window)}: ` : ''}${words}\n`
  const shown = detail === 'every event' ? events : events.filter((event) => !isQuiet(event))
  return joinTurns(shown, detail)
    .map((entry) =>
      'turns' in entry
        ? line(entry.at, renderFolded(entry))
        : line(entry.at, describeSimulationEvent(entry, paint), toWindow(entry)),
    )
    .join('')
}

/** The detail of a timeline: every event, or only a renderCountRow of turns without other events. */
type Detail = 'every event' | 'summary'

/** Describes an event on a line or a mark that already names its window. */
export function describeSimulationEvent(event: SimulationEvent, paint: Paint): string {
  // The line already names the window.
  if (event.type === 'session-started') return paint('strong', `a session starts (${event.context})`)
  return describeEvent(event, paint)
}

export function renderWindowName(window: number): string {
  return window === taskWindow ? 'tasks' : `window ${window}`
}

/** Renders a summary for a person, with a number on each line. */
export function renderSummary(summary: Summary, paint: Paint): string {
  const { waits, lostTurns, lostToSimulation, served } = summary
  const lost = `${lostTurns}${lostToSimulation > 0 ? ` (and ${lostToSimulation} to a limit of this simulation)` : ''}`
  const hasNoSignIn = summary.signIns + summary.renewals === 0
  const rows: readonly [string, string][] = [
    ...(served
      ? [
          renderCountRow('document asked', served.requests, served.failed),
          renderCountRow('restarts', served.restarts, 0),
        ]
      : []),
    ...(summary.helperRuns > 0 || hasNoSignIn
      ? [renderCountRow('helper runs', summary.helperRuns, summary.failedRuns)]
      : []),
    ...(hasNoSignIn
      ? []
      : [
          renderCountRow('sign-ins', summary.signIns, summary.failedSignIns),
          renderCountRow('renewals', summary.renewals, summary.failedRenewals),
        ]),
    ['turns', `${summary.turns}`],
    ['turns waited for', waits.turns === 0 ? '0' : `${waits.turns}, ${renderMs(waits.totalMs)} in all`],
    ['longest wait', renderMs(waits.longestMs)],
    ['prompts shown', `${summary.prompts}`],
    ['turns lost', lostTurns > 0 ? paint('bad', lost) : lost],
  ]
  return rows.map(([name, value]) => `${`${name}:`.padEnd(18)}${value}\n`).join('')
}

function renderCountRow(name: string, all: number, failed: number): [string, string] {
  return [name, `${all}${failed > 0 ? `, ${failed} of them failed` : ''}`]
}

interface Folded {
  readonly at: number
  readonly untilAt: number
  readonly turns: number
}

/** Returns whether the event belongs to every turn that succeeds at once, or to every quiet hour. */
function isQuiet(event: SimulationEvent): boolean {
  if (event.type === 'document-served') return event.cause === 'background' && event.change === 'none'
  return event.type === 'credential-reused' || (event.type === 'request-answered' && event.status === 200)
}

/** Joins successive turns without a wait into one entry. */
function joinTurns(events: readonly SimulationEvent[], detail: Detail): (SimulationEvent | Folded)[] {
  const entries: (SimulationEvent | Folded)[] = []
  for (const event of events) {
    const last = entries.at(-1)
    if (detail === 'every event' || event.type !== 'turn-succeeded' || !isSmooth(event)) entries.push(event)
    else if (last && 'turns' in last) entries.splice(-1, 1, { ...last, untilAt: event.at, turns: last.turns + 1 })
    else entries.push({ at: event.at, untilAt: event.at, turns: 1 })
  }
  return entries
}

function isSmooth({ attempts, waitedMs }: { readonly attempts: number; readonly waitedMs: number }): boolean {
  return attempts === 1 && waitedMs === 0
}

function renderFolded({ at, untilAt, turns }: Folded): string {
  const until = untilAt === at ? '' : `, until ${renderTime(untilAt)}`
  return `${renderCounted(turns, 'turn')} done with the token in memory${until}`
}
