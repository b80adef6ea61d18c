import { expect, test } from 'vitest'
import type { ClientEventBody } from '../../../src/client/client-event.ts'
import type { Paint } from '../../../src/client/simulation/render-timeline.ts'
import { renderTimeline } from '../timeline.ts'

/** Shows the style as a word. */
const paint: Paint = (style, text) => `<${style} ${text}>`
const plain: Paint = (_, text) => text
const at = Date.parse('2026-03-02T23:59:59.999Z')

const unused = { stderr: 'not shown', headerNames: [], warnings: [] }

test.each<[line: string, rest: ClientEventBody]>([
  ['<strong session 7 starts (interactive)>', { type: 'session-started', context: 'interactive' }],
  ['<strong session 7 starts (scheduled-task)>', { type: 'session-started', context: 'scheduled-task' }],
  ['the client has a token, 0 s old', { type: 'credential-reused', ageSec: 0 }],
  ['the client has a token, 59 s old', { type: 'credential-reused', ageSec: 59 }],
  ['the client has a token, 1 min old', { type: 'credential-reused', ageSec: 60 }],
  ['the client has a token, 59 min old', { type: 'credential-reused', ageSec: 3599 }],
  ['the client has a token, 1 h 0 min old', { type: 'credential-reused', ageSec: 3600 }],
  ['the client has a token, 25 h 2 min old', { type: 'credential-reused', ageSec: 90_125 }],
  [
    'helper runs (interactive), because a session starts',
    { type: 'helper-started', context: 'interactive', cause: 'session-start' },
  ],
  [
    'helper runs (mid-session-refresh), because the ttl has passed',
    { type: 'helper-started', context: 'mid-session-refresh', cause: 'ttl-passed' },
  ],
  [
    'helper runs (mid-session-refresh), because the gateway refused the token',
    { type: 'helper-started', context: 'mid-session-refresh', cause: 'unauthorized' },
  ],
  ['<good token printed> after 41 ms', { ...unused, type: 'helper-succeeded', durationMs: 41 }],
  [
    '<good token printed> after 41 ms, headers: X-A, X-B, warnings: byte-order-mark, text-before-json',
    {
      type: 'helper-succeeded',
      durationMs: 41,
      stderr: '',
      headerNames: ['X-A', 'X-B'],
      warnings: ['byte-order-mark', 'text-before-json'],
    },
  ],
  [
    '<bad no token (empty)>: stdout is empty, after 41 ms',
    { type: 'helper-failed', durationMs: 41, reason: 'empty', message: 'stdout is empty', stderr: 'not shown' },
  ],
  ['<bad the helper left processes; they have been ended>', { type: 'survivors-found', survivors: 'ended' }],
  [
    '<bad the helper left processes; they still run, out of reach>',
    { type: 'survivors-found', survivors: 'out-of-reach' },
  ],
  ['<caution a browser opens for the person to sign in>', { type: 'sign-in-started' }],
  ['<good the person is signed in>', { type: 'sign-in-succeeded', durationMs: 999 }],
  [
    '<good the person is signed in> after 21 s; the token lives 1 h 0 min',
    { type: 'sign-in-succeeded', durationMs: 20_600, lifeSec: 3600 },
  ],
  [
    '<bad nobody is signed in (refused)>: the sign-in was denied in the browser',
    { type: 'sign-in-failed', durationMs: 9, reason: 'refused', message: 'the sign-in was denied\nin the browser' },
  ],
  ['the sign-in of another window counts here too after 2 s', { type: 'sign-in-joined', durationMs: 2000 }],
  [
    'the token is renewed without the person, because a session starts and it has expired',
    { type: 'renewal-started', cause: 'session-start' },
  ],
  ['<good token renewed>; the token lives 5 min', { type: 'renewal-succeeded', durationMs: 9, lifeSec: 300 }],
  [
    '<bad token not renewed (unavailable)>: nobody answers',
    { type: 'renewal-failed', durationMs: 9, reason: 'unavailable', message: 'nobody answers' },
  ],
  ['the renewal of another window counts here too', { type: 'renewal-joined', durationMs: 9 }],
  ['<bad the person is asked to start a new session>', { type: 'expiry-prompt' }],
  ['gateway answers 401', { type: 'request-answered', attempt: 1, status: 401 }],
  ['gateway answers 200 to the repeated request', { type: 'request-answered', attempt: 2, status: 200 }],
  ['<good turn done>', { type: 'turn-succeeded', attempts: 1, waitedMs: 0 }],
  ['<good turn rescued by the refresh>', { type: 'turn-succeeded', attempts: 2, waitedMs: 9 }],
  [
    '<bad turn lost (forbidden)>: the gateway answered with HTTP 403',
    { type: 'turn-failed', failure: 'forbidden', message: 'the gateway answered with HTTP 403', waitedMs: 9 },
  ],
  ['<caution a banner asks to sign in again within 5 min>', { type: 'reauthenticate-banner', remainingSec: 300 }],
  ['<bad the sign-in has expired>', { type: 'sign-in-expired' }],
  ['the document has changed: a.b, c', { type: 'document-read', changes: ['a.b', 'c'] }],
  ['<caution the document cannot be read; the client goes on with what it has>', { type: 'document-unreadable' }],
  ['<caution the person is asked to agree to: a.b, c>', { type: 'consent-asked', fields: ['a.b', 'c'] }],
  ['the person agrees', { type: 'consent-answered', answer: 'agree', fields: ['a.b'] }],
  ['the person declines', { type: 'consent-answered', answer: 'decline', fields: ['a.b'] }],
  ['<strong the client restarts>', { type: 'relaunched' }],
])('an event is shown as %s', (line, rest) => {
  expect(renderTimeline([{ ...rest, session: 7, at }], paint)).toBe(`<quiet 23:59:59>  ${line}\n`)
})

test('events follow each other, a line each, with the client’s time in UTC', () => {
  expect(
    renderTimeline(
      [
        { type: 'session-started', context: 'interactive', session: 1, at },
        { type: 'turn-succeeded', attempts: 1, waitedMs: 0, session: 1, at: at + 1 },
      ],
      plain,
    ),
  ).toBe('23:59:59  session 1 starts (interactive)\n00:00:00  turn done\n')
})

test('a timeline without events is empty', () => {
  expect(renderTimeline([], plain)).toBe('')
})
