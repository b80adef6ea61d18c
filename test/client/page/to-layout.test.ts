import { expect, test } from 'vitest'
import { renderSimulationPage } from '../../../src/client/page/render-simulation-page.ts'
import { toLayout } from '../../../src/client/page/to-layout.ts'
import type { SimulationEvent } from '../../../src/client/simulation/simulation-event.ts'

const nine = Date.parse('2026-03-02T09:00:00Z')
const at = (minute: number) => nine + minute * 60_000
const printed = { type: 'helper-succeeded', durationMs: 5, warnings: [], stderr: '', headerNames: [] } as const

const events: readonly SimulationEvent[] = [
  { type: 'session-started', context: 'interactive', session: 1, at: at(0) },
  { type: 'helper-started', context: 'interactive', cause: 'session-start', session: 1, at: at(0) },
  { ...printed, session: 1, at: at(0) },
  { type: 'turn-succeeded', attempts: 1, waitedMs: 0, session: 1, at: at(5) },
  { type: 'staged', words: 'the network is down', at: at(10), untilAt: at(20) },
  { type: 'turn-failed', failure: 'unreachable', message: 'no', waitedMs: 0, session: 1, at: at(10) },
  { type: 'request-answered', attempt: 1, status: 401, session: 1, at: at(30) },
  { type: 'expiry-prompt', session: 1, at: at(30) },
  { type: 'helper-started', context: 'background', cause: 'probe', at: at(35) },
  { ...printed, at: at(35) },
  { type: 'session-started', context: 'scheduled-task', session: 0, at: at(40) },
]

test('puts every event on its own lane, and tasks after the windows of a person', () => {
  const { startAt, endAt, lanes } = toLayout(events)
  const shown = lanes.map(({ name, marks }) => [
    name,
    ...marks.map(
      (mark) => `${(mark.at - nine) / 60_000}${mark.untilAt ? `-${(mark.untilAt - nine) / 60_000}` : ''} ${mark.tone}`,
    ),
  ])
  expect({ startAt, endAt, shown }).toEqual({
    startAt: at(0),
    endAt: at(40),
    shown: [
      ['scenario', '10-20 neutral'],
      ['window 1', '0 neutral', '5 good', '10 bad'],
      ['tasks', '40 neutral'],
      ['credential', '0-30 good', '30-40 bad'],
      ['helper', '0 neutral', '0 good', '35 neutral', '35 good'],
      ['gateway', '10 bad', '30 bad'],
      ['prompts', '30 caution'],
    ],
  })
})

test('a served document has a lane between the gateway and the questions to the person', () => {
  const answered = { type: 'document-served', cause: 'background' } as const
  const served: readonly SimulationEvent[] = [
    { type: 'document-served', cause: 'launch', status: 200, change: 'in use from now on', at: at(0) },
    { ...answered, status: 304, change: 'none', at: at(30) },
    { ...answered, status: 200, change: 'after a restart', at: at(60) },
    { type: 'restart-asked', changes: ['inference.baseUrl'], enforcedAt: at(120), at: at(60) },
    {
      type: 'document-refused',
      reason: 'status',
      status: 503,
      message: 'down',
      after: 'go on with the document in use',
      at: at(90),
    },
    { type: 'restart-enforced', at: at(120) },
  ]
  const lanes = toLayout([...events, ...served]).lanes
  expect(lanes.map(({ name }) => name).slice(-3)).toEqual(['gateway', 'document', 'prompts'])
  const marks = lanes.find(({ name }) => name === 'document')?.marks ?? []
  expect(marks.map((mark) => [mark.tone, ...mark.lines])).toEqual([
    ['good', '09:00:00  the configuration server gives a document'],
    ['good', '09:30:00  the configuration server says that nothing has changed'],
    ['good', '10:00:00  the configuration server gives a document, which is for the next start'],
    [
      'caution',
      '10:00:00  the person is asked to restart by 11:00:00, because the served document has changed: inference.baseUrl',
    ],
    ['bad', '10:30:00  no document (status): down; the client goes on with the document that it has'],
    ['bad', '11:00:00  the client blocks until it has restarted'],
  ])
})

test('each mark has a title that says what happened, and when', () => {
  const lines = toLayout(events).lanes.flatMap(({ marks }) => marks.flatMap((mark) => mark.lines))
  expect(lines).toEqual([
    '09:10:00  the network is down, until 09:20:00',
    '09:00:00  a session starts (interactive)',
    '09:05:00  turn done',
    '09:10:00  turn lost (unreachable): no',
    '09:40:00  a session starts (scheduled-task)',
    '09:00:00  a token is kept for 30 min, until 09:30:00',
    '09:30:00  the token that is kept has been refused for 10 min, until 09:40:00',
    '09:00:00  helper runs (interactive), because a session starts',
    '09:00:00  token printed after 5 ms',
    '09:35:00  helper runs (background), because the client probes it',
    '09:35:00  token printed after 5 ms',
    '09:10:00  turn lost (unreachable): no',
    '09:30:00  gateway answers 401',
    '09:30:00  the person is asked to start a new session',
  ])
})

test('a scenario of one moment still has a width', () => {
  const { startAt, endAt } = toLayout(events.slice(0, 1))
  expect(endAt - startAt).toBe(60_000)
})

const page = renderSimulationPage({ subject: '<i>', scenario: '<b>', summary: '"&', events })

test('no text in the page is parsed as HTML', () => {
  const named = [/<h1 class="subject">.*<\/h1>/, /<p>Scenario .*<\/p>/].map((line) => line.exec(page)?.[0])
  expect(named).toEqual(['<h1 class="subject">&#60;i&#62;</h1>', '<p>Scenario &#60;b&#62;: &#34;&#38;</p>'])
})

test('the page loads nothing', () => {
  expect(page.replace('href="data:,"', '').match(/\b(src|href)=|url\(|@import|https?:/g)).toBe(null)
})
