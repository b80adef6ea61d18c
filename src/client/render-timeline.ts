import type { ClientEvent, RunCause } from './client-event.ts'

/** Puts a style around text; the identity where the reader is not a terminal. */
export type Paint = (style: 'good' | 'bad' | 'quiet' | 'strong', text: string) => string

/** One event as one line that a person understands, with the client's time in UTC before it. */
export function renderTimeline(events: readonly ClientEvent[], paint: Paint): string {
  return events.map((event) => `${paint('quiet', timeOf(event))}  ${describe(event, paint)}\n`).join('')
}

function timeOf({ at }: ClientEvent): string {
  return new Date(at).toISOString().slice(11, 19)
}

function describe(event: ClientEvent, paint: Paint): string {
  switch (event.type) {
    case 'session-started':
      return paint('strong', `session ${event.session} starts (${event.context})`)
    case 'credential-reused':
      return `the client has a token, ${duration(event.ageSec)} old`
    case 'helper-started':
      return `helper runs (${event.context}), because ${causes[event.cause]}`
    case 'helper-succeeded':
      return `${paint('good', 'token printed')} after ${event.durationMs} ms${list(', headers', event.headerNames)}${list(', warnings', event.warnings)}`
    case 'helper-failed':
      return `${paint('bad', `no token (${event.reason})`)}: ${event.message}, after ${event.durationMs} ms`
    case 'survivors-found':
      return paint('bad', `the helper left processes behind; ${survivors[event.survivors]}`)
    case 'expiry-prompt':
      return paint('bad', 'the person is asked to start a new session')
    case 'request-answered':
      return `gateway answers ${event.status}${event.attempt === 2 ? ' to the repeated request' : ''}`
    case 'turn-succeeded':
      return paint('good', event.attempts === 2 ? 'turn rescued by the refresh' : 'turn done')
    case 'turn-failed':
      return `${paint('bad', `turn lost (${event.failure})`)}: ${event.message}`
  }
}

const causes: Record<RunCause, string> = {
  'session-start': 'a session starts',
  'ttl-passed': 'the ttl has passed',
  unauthorized: 'the gateway refused the token',
}

const survivors = {
  ended: 'they have been ended',
  'out-of-reach': 'they still run, out of reach',
} as const

function list(title: string, items: readonly string[]): string {
  return items.length > 0 ? `${title}: ${items.join(', ')}` : ''
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
