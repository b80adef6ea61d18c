import type { ClientEvent } from '../../src/client/client-event.ts'
import { describeEvent, type Paint, renderTime } from '../../src/client/simulation/render-timeline.ts'

/** Events for a person, a line each, with the client's time in UTC. */
export function renderTimeline(events: readonly ClientEvent[], paint: Paint = (_, text) => text): string {
  return events.map((event) => `${paint('quiet', renderTime(event.at))}  ${describeEvent(event, paint)}\n`).join('')
}
