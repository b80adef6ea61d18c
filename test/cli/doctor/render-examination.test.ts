import { expect, test } from 'vitest'
import { renderExamination } from '../../../src/cli/doctor/render-examination.ts'
import { toConsistent } from '../../../src/client/doctor/choose-verdict.ts'
import type { Part } from '../../../src/client/examination.ts'

const parts: Part[] = [
  {
    part: 'identity',
    outcome: 'bad',
    lines: ['✗ it failed', '! it will', '✓ it is', '? who knows', '  ! a detail'],
    hint: 'do it',
  },
]

test('on a terminal only the marks are coloured', () => {
  expect(renderExamination(parts, { paint: (style, text) => `<${style} ${text}>` })).toBe(`\
<bad A turn fails>: it failed
    → do it

<bad bad >  <strong The identity behind it>
    <bad ✗> it failed
    <caution !> it will
    <strong ✓> it is
    <caution ?> who knows
      ! a detail
    → do it

A turn fails.
`)
})

const location = 'https://login.example.com/realms/corp/protocol/openid-connect/auth/of/a/long/path'
const refused: Part[] = [
  {
    part: 'gateway',
    outcome: 'bad',
    lines: ['HTTP 302', `it redirects to: ${location}`, 'the gateway redirects instead of answering'],
    cause: `the gateway redirects: to ${location}; it says: moved`,
    hint: "set baseUrl to the address of the API itself, or have the gateway's operators take the page away",
  },
]
const plain = (width?: number) => renderExamination(refused, { paint: (_style, text) => text, width })

test('in a pipe a line is not wrapped', () => {
  expect(plain()).toBe(`\
A turn fails: the gateway redirects: to
      ${location}
      it says: moved
    → set baseUrl to the address of the API itself, or have the gateway's operators take the page away

bad   One request to the gateway
    HTTP 302
    it redirects to:
      ${location}
    the gateway redirects instead of answering
    → set baseUrl to the address of the API itself, or have the gateway's operators take the page away

A turn fails.
`)
})

test('on a terminal lines are wrapped at its width and indented below their words', () => {
  expect(plain(50)).toBe(`\
A turn fails: the gateway redirects: to
      ${location}
      it says: moved
    → set baseUrl to the address of the API
      itself, or have the gateway's operators take
      the page away

bad   One request to the gateway
    HTTP 302
    it redirects to:
      ${location}
    the gateway redirects instead of answering
    → set baseUrl to the address of the API
      itself, or have the gateway's operators take
      the page away

A turn fails.
`)
})

test.each<[what: string, parts: Part[], first: string]>([
  [
    'a turn that succeeds beside what is bad',
    [
      { part: 'sign-in', outcome: 'bad', lines: ['done', 'not renewed'], cause: 'it cannot be renewed', hint: 'ask' },
      { part: 'gateway', outcome: 'good', lines: [] },
    ],
    'A turn succeeds, but it cannot be renewed\n    → ask',
  ],
  [
    'a clock, before what it spoils',
    [
      { part: 'run', outcome: 'bad', lines: ['exit-status'], cause: 'sign in', hint: 'sign in' },
      { part: 'clock', outcome: 'bad', lines: ['behind'], cause: 'the clock is behind', isClock: true, hint: 'set it' },
    ],
    'A turn fails: the clock is behind\n    → set it',
  ],
  [
    'an identity that cannot be explained, after the words of the helper',
    [
      { part: 'run', outcome: 'bad', lines: ['exit-status'], cause: 'no network', hint: 'go online' },
      { part: 'identity', outcome: 'bad', lines: ['✗ nobody is signed in'], hint: 'sign in' },
    ],
    'A turn fails: no network\n    → go online',
  ],
  [
    'nothing that could be tried',
    [{ part: 'document', outcome: 'good', lines: [] }],
    'No turn was sent: the document names no gateway with a credential for it\n    → set inference.provider to "gateway", inference.baseUrl and inference.credential',
  ],
])('the first line names %s', (_, shown, first) => {
  expect(renderExamination(shown, { paint: (_style, text) => text }).split('\n\n')[0]).toBe(first)
})

test('a fact that explains a credential is not bad where a turn has succeeded with it', () => {
  const gateway: Part = { part: 'gateway', outcome: 'good', lines: [] }
  const outcomes = (given: readonly Part[]) => toConsistent(given).map(({ outcome }) => outcome)
  expect(outcomes([...parts, gateway])).toEqual(['note', 'good'])
  expect(outcomes([...parts, { ...gateway, outcome: 'bad' }])).toEqual(['bad', 'bad'])
})
