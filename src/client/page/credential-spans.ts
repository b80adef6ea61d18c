import { renderDuration } from '../duration.ts'
import type { SimulationEvent } from '../simulation/simulation-event.ts'
import { renderTime } from '../timeline/render-timeline.ts'
import type { Mark } from './layout.ts'

/** How long the client kept each token, and from when on the gateway refused it. `endAt` in epoch milliseconds. */
export function findCredentialSpans(events: readonly SimulationEvent[], endAt: number): Mark[] {
  const spans: Mark[] = []
  let open: { at: number; tone: 'good' | 'bad' } | undefined
  const close = (untilAt: number) => {
    if (open) spans.push(spanOf(open, untilAt))
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

/** The token of a run without a session, a probe or a test, is discarded. */
function isNewToken(event: SimulationEvent): boolean {
  if (event.type === 'helper-succeeded') return event.session !== undefined
  return event.type === 'sign-in-succeeded' || event.type === 'renewal-succeeded'
}

function spanOf({ at, tone }: { at: number; tone: 'good' | 'bad' }, untilAt: number): Mark {
  const what = tone === 'good' ? 'a token is kept' : 'the token that is kept has been refused'
  const length = renderDuration(Math.round((untilAt - at) / 1000))
  return { at, untilAt, tone, lines: [`${renderTime(at)}  ${what} for ${length}, until ${renderTime(untilAt)}`] }
}
