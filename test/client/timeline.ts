import type { ClientEvent } from '../../src/client/client-event.ts'
import { describeEvent, type Paint, renderTime } from '../../src/client/simulation/render-timeline.ts'

/** Events for a person, a line each, with the client's time in UTC. */
export function renderTimeline(events: readonly ClientEvent[], paint: Paint = (_, text) => text): string {
  return events.map((event) => `${paint('quiet', renderTime(event.at))}  ${describeEvent(event, paint)}\n`).join('')
}

/** Renders the lines of a session whose start has a person sign in, without the last line break. */
export function renderSignIn(session = 1, time = '09:00:00'): string {
  return `\
${time}  session ${session} starts (interactive)
${time}  a browser opens for the person to sign in
${time}  the person is signed in; the token lives 1 h 0 min`
}

/** Renders the lines of a turn that a new token serves, without the last line break. */
export function renderTurn(time = '09:00:00'): string {
  return `\
${time}  the client has a token, 0 s old
${time}  gateway answers 200
${time}  turn done`
}
