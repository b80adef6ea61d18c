import { renderDuration } from '../duration.ts'
import { describeSimulationEvent, renderWindowName } from '../simulation/report/render-simulation.ts'
import type { SimulationEvent } from '../simulation/simulation-event.ts'
import { taskWindow } from '../simulation/stage/scenario-stage.ts'
import { type Paint, renderTime } from '../timeline/render-timeline.ts'
import { findCredentialSpans } from './credential-spans.ts'
import type { Lane, Layout, Mark, Tone } from './layout.ts'

/** Puts every event on the lane of what it concerns; pure. */
export function toLayout(events: readonly SimulationEvent[]): Layout {
  const moments = events.flatMap((event) => [event.at, 'untilAt' in event ? (event.untilAt ?? event.at) : event.at])
  const startAt = moments.reduce((least, at) => Math.min(least, at), moments[0] ?? 0)
  const endAt = moments.reduce((most, at) => Math.max(most, at), startAt + 60_000)
  const windows = [...new Set(events.flatMap((event) => windowOf(event) ?? []))].sort(byWindow)
  const helper = marksOf(events, ({ type }) => /^helper-|^survivors/.test(type))
  const signIns = marksOf(events, ({ type }) => /^sign-in-(?!expired)|^renewal-/.test(type))
  const lanes: Lane[] = [
    { name: 'scenario', marks: marksOf(events, ({ type }) => type === 'staged' || type === 'relaunched') },
    ...windows.map((window) => ({
      name: renderWindowName(window),
      marks: marksOf(events, (event) => windowOf(event) === window && windowTypes.has(event.type)),
    })),
    { name: 'credential', marks: findCredentialSpans(events, endAt) },
    ...(helper.length > 0 || signIns.length === 0 ? [{ name: 'helper', marks: helper }] : []),
    ...(signIns.length > 0 ? [{ name: 'sign-in', marks: signIns }] : []),
    { name: 'gateway', marks: marksOf(events, isGatewayEvent) },
    { name: 'prompts', marks: marksOf(events, ({ type }) => promptTypes.has(type)) },
  ]
  return { startAt, endAt, lanes }
}

const windowTypes = new Set<SimulationEvent['type']>([
  'session-started',
  'turn-succeeded',
  'turn-failed',
  'simulation-limit',
])

const promptTypes = new Set<SimulationEvent['type']>([
  'expiry-prompt',
  'consent-asked',
  'consent-answered',
  'reauthenticate-banner',
  'sign-in-expired',
  'document-read',
  'document-unreadable',
])

/** A gateway that cannot be reached or goes silent has no event of its own, so the lost turn is shown for it. */
function isGatewayEvent(event: SimulationEvent): boolean {
  if (event.type === 'turn-failed') return event.failure === 'unreachable' || event.failure === 'stream-idle'
  return event.type === 'request-answered'
}

const unstyled: Paint = (_, text) => text

function marksOf(events: readonly SimulationEvent[], belongs: (event: SimulationEvent) => boolean): Mark[] {
  return events.filter(belongs).map((event) => ({
    at: event.at,
    ...('untilAt' in event && event.untilAt !== undefined && { untilAt: event.untilAt }),
    tone: toneOf(event),
    ...(event.type === 'helper-started' && { runs: 1 }),
    lines: [`${renderTime(event.at)}  ${describeSimulationEvent(event, unstyled)}${waitOf(event)}`],
  }))
}

function waitOf(event: SimulationEvent): string {
  if (!('waitedMs' in event) || event.waitedMs === 0) return ''
  const seconds = Math.round(event.waitedMs / 1000)
  return `; it took ${seconds === 0 ? `${event.waitedMs} ms` : renderDuration(seconds)}`
}

function toneOf(event: SimulationEvent): Tone {
  switch (event.type) {
    case 'turn-failed':
    case 'helper-failed':
    case 'sign-in-failed':
    case 'renewal-failed':
    case 'survivors-found':
    case 'sign-in-expired':
      return 'bad'
    case 'request-answered':
      return event.status === 200 ? 'good' : 'bad'
    case 'turn-succeeded':
      return event.attempts === 2 || event.waitedMs > 0 ? 'caution' : 'good'
    case 'helper-succeeded':
      return event.warnings.length > 0 || event.stderr !== '' ? 'caution' : 'good'
    case 'sign-in-succeeded':
    case 'renewal-succeeded':
      return 'good'
    case 'sign-in-started':
    case 'expiry-prompt':
    case 'consent-asked':
    case 'reauthenticate-banner':
    case 'document-unreadable':
    case 'simulation-limit':
      return 'caution'
    default:
      return 'neutral'
  }
}

function windowOf(event: SimulationEvent): number | undefined {
  return 'session' in event ? event.session : undefined
}

/** The windows of a person come first, then tasks. */
function byWindow(a: number, b: number): number {
  return Number(a === taskWindow) - Number(b === taskWindow) || a - b
}
