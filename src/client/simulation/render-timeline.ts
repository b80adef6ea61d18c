import { toOneLine } from '../../runtime/failure.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import type { ClientEvent, RenewalCause, RunCause } from '../client-event.ts'

/** Styles text; returns it unchanged if the output is not a terminal. */
export type Paint = (style: 'good' | 'bad' | 'caution' | 'quiet' | 'strong', text: string) => string

/** The time of day in UTC, to the second. `at` in epoch milliseconds. */
export function renderTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19)
}

/** Describes an event in the words of the timeline. @param paint Marks a text with a style, or leaves it as it is. */
export function describeEvent(event: ClientEvent, paint: Paint): string {
  switch (event.type) {
    case 'session-started':
      return paint('strong', `session ${event.session} starts (${event.context})`)
    case 'credential-reused':
      return `the client has a token, ${renderDuration(event.ageSec)} old`
    case 'helper-started':
      return `helper runs${event.context === undefined ? '' : ` (${event.context})`}, because ${causes[event.cause]}`
    case 'helper-succeeded':
      return `${paint('good', 'token printed')} after ${event.durationMs} ms${list(', headers', event.headerNames)}${list(', warnings', event.warnings)}`
    case 'credential-erased':
      return 'the helper is told to forget the credential'
    case 'helper-failed':
      return `${paint('bad', `no token (${event.reason})`)}: ${toOneLine(event.message)}, after ${event.durationMs} ms`
    case 'survivors-found':
      return paint('bad', `the helper left processes; ${survivors[event.survivors]}`)
    case 'sign-in-started':
      return paint('caution', 'a browser opens for the person to sign in')
    case 'sign-in-succeeded':
      return `${paint('good', 'the person is signed in')}${describeDelay(event.durationMs)}${describeLife(event.lifeSec)}`
    case 'sign-in-failed':
      return `${paint('bad', `nobody is signed in (${event.reason})`)}: ${toOneLine(event.message)}`
    case 'sign-in-joined':
      return `the sign-in of another window counts here too${describeDelay(event.durationMs)}`
    case 'renewal-started':
      return `the token is renewed without the person, because ${renewalCauses[event.cause]}`
    case 'renewal-succeeded':
      return `${paint('good', 'token renewed')}${describeDelay(event.durationMs)}${describeLife(event.lifeSec)}`
    case 'renewal-failed':
      return `${paint('bad', `token not renewed (${event.reason})`)}: ${toOneLine(event.message)}`
    case 'renewal-joined':
      return `the renewal of another window counts here too${describeDelay(event.durationMs)}`
    case 'expiry-prompt':
      return paint('bad', 'the person is asked to start a new session')
    case 'request-answered':
      return `gateway answers ${event.status}${event.attempt === 2 ? ' to the repeated request' : ''}`
    case 'turn-succeeded':
      return paint('good', event.attempts === 2 ? 'turn rescued by the refresh' : 'turn done')
    case 'turn-failed':
      return `${paint('bad', `turn lost (${event.failure})`)}: ${toOneLine(event.message)}`
    case 'reauthenticate-banner':
      return paint('caution', `a banner asks to sign in again within ${renderDuration(event.remainingSec)}`)
    case 'sign-in-expired':
      return paint('bad', 'the sign-in has expired')
    case 'document-read':
      return `the document has changed: ${toOneLine(event.changes.join(', '))}`
    case 'document-unreadable':
      return paint('caution', 'the document cannot be read; the client goes on with what it has')
    case 'document-served':
      return describeServed(event)
    case 'document-refused':
      return `${paint('bad', `no document (${event.reason})`)}: ${toOneLine(event.message)}; ${afterRefusal[event.after]}`
    case 'restart-asked':
      return paint(
        'caution',
        `the person is asked to restart by ${renderTime(event.enforcedAt)}, because the served document has changed${describeChanges(event.changes)}`,
      )
    case 'restart-enforced':
      return paint('bad', 'the client blocks until it has restarted')
    case 'restart-withdrawn':
      return 'the document in use is served again: no restart is needed'
    case 'consent-asked':
      return paint('caution', `the person is asked to agree to: ${toOneLine(event.fields.join(', '))}`)
    case 'consent-answered':
      return `the person ${event.answer === 'agree' ? 'agrees' : 'declines'}`
    case 'relaunched':
      return paint('strong', `the client restarts${event.by === undefined ? '' : restarts[event.by]}`)
  }
}

const causes: Record<RunCause, string> = {
  'session-start': 'a session starts',
  'first-request': 'a request needs a credential',
  'end-near': 'the end that it stated has come near',
  'ttl-passed': 'the ttl has passed',
  unauthorized: 'the gateway refused the token',
  'document-changed': 'the document names another source',
  probe: 'the client probes it',
  'setup-test': 'the configuration window tests it',
}

const renewalCauses: Record<RenewalCause, string> = {
  'session-start': 'a session starts and it has expired',
  expired: 'it has expired',
  unauthorized: 'the gateway refused it',
}

const survivors = {
  ended: 'they have been ended',
  'out-of-reach': 'they still run, out of reach',
} as const

const afterRefusal = {
  'start without a provider': 'the client starts without a provider',
  'go on with the document in use': 'the client goes on with the document that it has',
  'go on without a provider': 'the client goes on without a provider',
} as const

const restarts = {
  'the person': ', because the person agrees',
  'the client itself': ' by itself, because nobody uses it',
} as const

function describeServed({ cause, status, change }: ClientEvent & { readonly type: 'document-served' }): string {
  if (cause === 'launch') return 'the configuration server gives a document'
  if (status === 304) return 'the configuration server says that nothing has changed'
  return `the configuration server gives a document${change === 'none' ? ' again' : ', which is for the next start'}`
}

function describeChanges(changes: readonly string[]): string {
  if (changes.length > 0) return `: ${toOneLine(changes.join(', '))}`
  return ', although nothing in it means anything else'
}

/** A person takes seconds; a shorter time is not mentioned. */
function describeDelay(durationMs: number): string {
  return durationMs < 1000 ? '' : ` after ${renderDuration(Math.round(durationMs / 1000))}`
}

function describeLife(lifeSec: number | undefined): string {
  // The token has aged by a second or so on its way.
  return lifeSec === undefined ? '' : `; the token lives ${renderDuration(Math.round(lifeSec / 10) * 10)}`
}

function list(title: string, items: readonly string[]): string {
  return items.length > 0 ? `${title}: ${toOneLine(items.join(', '))}` : ''
}
