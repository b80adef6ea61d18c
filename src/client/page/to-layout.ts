import { renderDuration } from '../../runtime/values/duration.ts'
import { describeSimulationEvent, renderWindowName } from '../simulation/render-simulation.ts'
import { type LaneKind, type Paint, renderTime, type Tone, toMarkStyle } from '../simulation/render-timeline.ts'
import { taskWindow } from '../simulation/scenario-stage.ts'
import { type SimulationEvent, toWindow } from '../simulation/simulation-event.ts'

/** Puts every event on its lane; pure. */
export function toLayout(events: readonly SimulationEvent[]): Layout {
  const moments = events.flatMap((event) => [event.at, 'untilAt' in event ? (event.untilAt ?? event.at) : event.at])
  const startAt = moments.reduce((least, at) => Math.min(least, at), moments[0] ?? 0)
  const endAt = moments.reduce((most, at) => Math.max(most, at), startAt + 60_000)
  const windows = [...new Set(events.flatMap((event) => toWindow(event) ?? []))].sort(compareWindows)
  const pick = (lane: LaneKind) => toMarks(events, (event) => toMarkStyle(event).lane === lane)
  const [helper, signIns, served] = [pick('helper'), pick('sign-in'), pick('document')]
  const lanes: Lane[] = [
    { name: 'scenario', marks: pick('scenario') },
    ...windows.map((window) => ({
      name: renderWindowName(window),
      marks: toMarks(events, (event) => toMarkStyle(event).lane === 'window' && toWindow(event) === window),
    })),
    { name: 'credential', marks: listCredentialSpans(events, endAt) },
    ...(helper.length > 0 || signIns.length === 0 ? [{ name: 'helper', marks: helper }] : []),
    ...(signIns.length > 0 ? [{ name: 'sign-in', marks: signIns }] : []),
    { name: 'gateway', marks: toMarks(events, isGatewayEvent) },
    ...(served.length > 0 ? [{ name: 'document', marks: served }] : []),
    { name: 'prompts', marks: pick('prompts') },
  ]
  return { startAt, endAt, lanes }
}

/** Compares windows: those of a person come first, then tasks. */
function compareWindows(a: number, b: number): number {
  return Number(a === taskWindow) - Number(b === taskWindow) || a - b
}

function toMarks(events: readonly SimulationEvent[], belongs: (event: SimulationEvent) => boolean): Mark[] {
  return events.filter(belongs).map((event) => ({
    at: event.at,
    ...('untilAt' in event && event.untilAt !== undefined && { untilAt: event.untilAt }),
    tone: toMarkStyle(event).tone,
    ...(event.type === 'helper-started' && { runs: 1 }),
    lines: [`${renderTime(event.at)}  ${describeSimulationEvent(event, unstyled)}${describeWait(event)}`],
  }))
}

function describeWait(event: SimulationEvent): string {
  if (!('waitedMs' in event) || event.waitedMs === 0) return ''
  const seconds = Math.round(event.waitedMs / 1000)
  return `; it took ${seconds === 0 ? `${event.waitedMs} ms` : renderDuration(seconds)}`
}

/**
 * Lists how long the client kept each token, and since when the gateway refused it.
 * @param endAt In epoch milliseconds.
 */
function listCredentialSpans(events: readonly SimulationEvent[], endAt: number): Mark[] {
  const spans: Mark[] = []
  let open: { at: number; tone: 'good' | 'bad' } | undefined
  const close = (untilAt: number) => {
    if (open) spans.push(toKeptMark(open, untilAt))
    open = undefined
  }
  for (const event of events) {
    if (isNewToken(event)) {
      close(event.at)
      open = { at: event.at, tone: 'good' }
    } else if (event.type === 'request-answered' && event.status === 401 && open) {
      close(event.at)
      open = { at: event.at, tone: 'bad' }
    } else if (event.type === 'relaunched' || event.type === 'sign-in-expired') close(event.at)
  }
  close(endAt)
  return spans.filter(({ at, untilAt = at }) => untilAt > at)
}

/**
 * Returns whether an event is shown on the lane of the gateway. One that is unreachable or silent has no event of its own, so the lost turn
 * is shown on its lane.
 */
function isGatewayEvent(event: SimulationEvent): boolean {
  if (event.type === 'turn-failed') return event.failure === 'unreachable' || event.failure === 'stream-idle'
  return toMarkStyle(event).lane === 'gateway'
}

const unstyled: Paint = (_, text) => text

function toKeptMark({ at, tone }: { at: number; tone: 'good' | 'bad' }, untilAt: number): Mark {
  const what = tone === 'good' ? 'a token is kept' : 'the token that is kept has been refused'
  const length = renderDuration(Math.round((untilAt - at) / 1000))
  return { at, untilAt, tone, lines: [`${renderTime(at)}  ${what} for ${length}, until ${renderTime(untilAt)}`] }
}

/** Returns whether the client has another token from now on. Without a session, as in a probe or a test, a token is discarded. */
function isNewToken(event: SimulationEvent): boolean {
  if (event.type === 'helper-succeeded') return event.session !== undefined
  return event.type === 'sign-in-succeeded' || event.type === 'renewal-succeeded'
}

/** A mark on a lane, at one time or, with `untilAt`, for a period. Times are in epoch milliseconds. */
export interface Mark {
  readonly at: number
  readonly untilAt?: number
  readonly tone: Tone
  /** The number of helper runs that began here; shown if there are several. */
  readonly runs?: number
  /** The explanation of the mark, with a line for each event. */
  readonly lines: readonly string[]
}

interface Lane {
  readonly name: string
  readonly marks: readonly Mark[]
}

/** The timeline of a simulation before it is drawn. */
export interface Layout {
  readonly startAt: number
  readonly endAt: number
  readonly lanes: readonly Lane[]
}
