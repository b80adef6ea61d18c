import { toOneLine } from '../../runtime/failure.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import type { RenewalCause, RunCause } from '../client-event.ts'
import type { SimulationEvent } from './simulation-event.ts'

/** Styles text; returns it unchanged if the output is not a terminal. */
export type Paint = (style: 'good' | 'bad' | 'caution' | 'quiet' | 'strong', text: string) => string

/**
 * Renders the time of day in UTC, to the second.
 * @param at In epoch milliseconds.
 */
export function renderTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19)
}

/**
 * Describes an event in the timeline.
 * @param paint Styles a text, or returns it unchanged.
 */
export function describeEvent(event: SimulationEvent, paint: Paint): string {
  return toRow(event)[2](event, paint)
}

/** Returns the lane of the event in the drawing of a simulation, if it has one, and its tone. */
export function toMarkStyle(event: SimulationEvent): { readonly lane: LaneKind | undefined; readonly tone: Tone } {
  const [lane, tone] = toRow(event)
  return { lane, tone: typeof tone === 'function' ? tone(event) : tone }
}

/** The lane of an event in the drawing: one of a window, or one that each client has once. */
export type LaneKind = 'scenario' | 'window' | 'helper' | 'sign-in' | 'gateway' | 'document' | 'prompts'

/** The tone of a mark, which has a shape and a colour. */
export type Tone = 'good' | 'neutral' | 'caution' | 'bad'

/** An event without a lane has no mark. */
type EventRow<Event> = readonly [
  lane: LaneKind | undefined,
  tone: Tone | ((event: Event) => Tone),
  words: (event: Event, paint: Paint) => string,
]

type EventRows = { readonly [Type in SimulationEvent['type']]: EventRow<SimulationEvent & { readonly type: Type }> }

function toRow(event: SimulationEvent): EventRow<SimulationEvent> {
  // The type of the table ensures that each row takes the events of its type.
  return rows[event.type] as EventRow<SimulationEvent>
}

/** The mark and the words of each type of event. */
const rows: EventRows = {
  staged: [
    'scenario',
    'neutral',
    (event, paint) => paint('strong', toOneLine(`${event.words}${describeUntil(event)}`)),
  ],
  'simulation-limit': [
    'window',
    'caution',
    ({ words }, paint) => paint('caution', `a limit of this simulation: ${words}`),
  ],
  'session-started': [
    'window',
    'neutral',
    ({ session, context }, paint) => paint('strong', `session ${session} starts (${context})`),
  ],
  'credential-reused': [undefined, 'neutral', ({ ageSec }) => `the client has a token, ${renderDuration(ageSec)} old`],
  'helper-started': [
    'helper',
    'neutral',
    ({ context, cause }) => `helper runs${context === undefined ? '' : ` (${context})`}, because ${causes[cause]}`,
  ],
  'helper-succeeded': [
    'helper',
    ({ warnings, stderr }) => (warnings.length > 0 || stderr !== '' ? 'caution' : 'good'),
    ({ durationMs, headerNames, warnings }, paint) =>
      `${paint('good', 'token printed')} after ${durationMs} ms${renderItems(', headers', headerNames)}${renderItems(', warnings', warnings)}`,
  ],
  'credential-erased': [undefined, 'neutral', () => 'the helper is told to forget the credential'],
  'helper-failed': [
    'helper',
    'bad',
    ({ reason, message, durationMs }, paint) =>
      `${paint('bad', `no token (${reason})`)}: ${toOneLine(message)}, after ${durationMs} ms`,
  ],
  'survivors-found': [
    'helper',
    'bad',
    (event, paint) => paint('bad', `the helper left processes; ${survivors[event.survivors]}`),
  ],
  'sign-in-started': [
    'sign-in',
    'caution',
    (_, paint) => paint('caution', 'a browser opens for the person to sign in'),
  ],
  'sign-in-succeeded': [
    'sign-in',
    'good',
    ({ durationMs, lifeSec }, paint) =>
      `${paint('good', 'the person is signed in')}${describeDelay(durationMs)}${describeLife(lifeSec)}`,
  ],
  'sign-in-failed': [
    'sign-in',
    'bad',
    ({ reason, message }, paint) => `${paint('bad', `nobody is signed in (${reason})`)}: ${toOneLine(message)}`,
  ],
  'sign-in-joined': [
    'sign-in',
    'neutral',
    ({ durationMs }) => `the sign-in of another window counts here too${describeDelay(durationMs)}`,
  ],
  'renewal-started': [
    'sign-in',
    'neutral',
    ({ cause }) => `the token is renewed without the person, because ${renewalCauses[cause]}`,
  ],
  'renewal-succeeded': [
    'sign-in',
    'good',
    ({ durationMs, lifeSec }, paint) =>
      `${paint('good', 'token renewed')}${describeDelay(durationMs)}${describeLife(lifeSec)}`,
  ],
  'renewal-failed': [
    'sign-in',
    'bad',
    ({ reason, message }, paint) => `${paint('bad', `token not renewed (${reason})`)}: ${toOneLine(message)}`,
  ],
  'renewal-joined': [
    'sign-in',
    'neutral',
    ({ durationMs }) => `the renewal of another window counts here too${describeDelay(durationMs)}`,
  ],
  'expiry-prompt': ['prompts', 'caution', (_, paint) => paint('bad', 'the person is asked to start a new session')],
  'request-answered': [
    'gateway',
    ({ status }) => (status === 200 ? 'good' : 'bad'),
    ({ status, attempt }) => `gateway answers ${status}${attempt === 2 ? ' to the repeated request' : ''}`,
  ],
  'turn-succeeded': [
    'window',
    ({ attempts, waitedMs }) => (attempts === 2 || waitedMs > 0 ? 'caution' : 'good'),
    ({ attempts }, paint) => paint('good', attempts === 2 ? 'turn rescued by the refresh' : 'turn done'),
  ],
  'turn-failed': [
    'window',
    'bad',
    ({ failure, message }, paint) => `${paint('bad', `turn lost (${failure})`)}: ${toOneLine(message)}`,
  ],
  'reauthenticate-banner': [
    'prompts',
    'caution',
    ({ remainingSec }, paint) =>
      paint('caution', `a banner asks to sign in again within ${renderDuration(remainingSec)}`),
  ],
  'sign-in-expired': ['prompts', 'bad', (_, paint) => paint('bad', 'the sign-in has expired')],
  'document-read': [
    'prompts',
    'neutral',
    ({ changes }) => `the document has changed: ${toOneLine(changes.join(', '))}`,
  ],
  'document-unreadable': [
    'prompts',
    'caution',
    (_, paint) => paint('caution', 'the document cannot be read; the client goes on with what it has'),
  ],
  'document-served': ['document', 'good', describeServed],
  'document-refused': [
    'document',
    'bad',
    ({ reason, message, after }, paint) =>
      `${paint('bad', `no document (${reason})`)}: ${toOneLine(message)}; ${afterRefusal[after]}`,
  ],
  'restart-asked': [
    'document',
    'caution',
    ({ enforcedAt, changes }, paint) =>
      paint(
        'caution',
        `the person is asked to restart by ${renderTime(enforcedAt)}, because the served document has changed${describeChanges(changes)}`,
      ),
  ],
  'restart-enforced': ['document', 'bad', (_, paint) => paint('bad', 'the client blocks until it has restarted')],
  'restart-withdrawn': ['document', 'neutral', () => 'the document in use is served again: no restart is needed'],
  'consent-asked': [
    'prompts',
    'caution',
    ({ fields }, paint) => paint('caution', `the person is asked to agree to: ${toOneLine(fields.join(', '))}`),
  ],
  'consent-answered': [
    'prompts',
    'neutral',
    ({ answer }) => `the person ${answer === 'agree' ? 'agrees' : 'declines'}`,
  ],
  relaunched: [
    'scenario',
    'neutral',
    ({ by }, paint) => paint('strong', `the client restarts${by === undefined ? '' : restarts[by]}`),
  ],
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

function describeUntil({ untilAt }: { readonly untilAt?: number }): string {
  return untilAt === undefined ? '' : `, until ${renderTime(untilAt)}`
}

function describeServed({ cause, status, change }: SimulationEvent & { readonly type: 'document-served' }): string {
  if (cause === 'launch') return 'the configuration server gives a document'
  if (status === 304) return 'the configuration server says that nothing has changed'
  return `the configuration server gives a document${change === 'none' ? ' again' : ', which is for the next start'}`
}

function describeChanges(changes: readonly string[]): string {
  if (changes.length > 0) return `: ${toOneLine(changes.join(', '))}`
  return ', although nothing in it means anything else'
}

/** A person takes seconds; a shorter time is omitted. */
function describeDelay(durationMs: number): string {
  return durationMs < 1000 ? '' : ` after ${renderDuration(Math.round(durationMs / 1000))}`
}

function describeLife(lifeSec: number | undefined): string {
  // The token has aged by about a second in transit.
  return lifeSec === undefined ? '' : `; the token lives ${renderDuration(Math.round(lifeSec / 10) * 10)}`
}

function renderItems(title: string, items: readonly string[]): string {
  return items.length > 0 ? `${title}: ${toOneLine(items.join(', '))}` : ''
}
