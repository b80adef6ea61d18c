import { expect, test } from 'vitest'
import { quoteName, quoteNames } from '../../../src/runtime/text/quote.ts'
import { refusal, startStage } from '../stage.ts'

const long = 'x'.repeat(201)
const cut = `"${'x'.repeat(200)}…"`
const letters = [...'abcdefghijkl']

test.each([
  ['a', '"a"'],
  ['a"\n', '"a\\"\\n"'],
  ['x'.repeat(200), `"${'x'.repeat(200)}"`],
  [long, cut],
])('%j is repeated as %s', (name, expected) => {
  expect(quoteName(name)).toBe(expected)
})

test.each<[names: string[], most: number | undefined, expected: string]>([
  [['a', 'b'], undefined, '"a", "b"'],
  [letters.slice(0, 10), undefined, '"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"'],
  [letters, undefined, '"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", 2 more'],
  [letters, 1, '"a", 11 more'],
  [letters, 0, '12 more'],
])('an answer about %j repeats at most %j', (names, most, expected) => {
  expect(quoteNames(names, most)).toBe(expected)
})

test('a refusal repeats at most ten names of unknown members, and 200 characters of each', async () => {
  const { send, seed } = await startStage()
  const post = async (path: string, body: object) =>
    refusal(await send('POST', `/v1/sessions/${seed.session}/${path}`, { as: seed.keys.personal.secret, body }))
  const file = { type: 'file', file_id: seed.file }
  const refused = '400 invalid_request_error: '
  const unknown = Object.fromEntries(letters.slice(0, 6).map((letter) => [letter, 1]))
  const event = { type: 'user.message', content: [{ type: 'text', text: 'a' }], ...unknown }
  expect({
    long: await post('resources', { ...file, [long]: 1 }),
    many: await post('events', { events: [event, event, event] }),
  }).toEqual({
    long: `${refused}the body: unknown members: ${cut}`,
    many: `${refused}${[
      'events.0: unknown members: "a", "b", "c", "d", "e", "f"',
      'events.1: unknown members: "a", "b", "c", "d", 2 more',
      'events.2: unknown members: 6 more',
    ].join('; ')}`,
  })
})

test('a refusal repeats at most ten names of a query and of vendor-beta, and 200 characters of each', async () => {
  const { send, seed } = await startStage()
  const ask = async (query: string, beta: string) => {
    const headers = { 'vendor-beta': `managed-agents-2026-04-01,${beta}` }
    const path = `/v1/sessions/${seed.session}/resources${query}`
    return refusal(await send('GET', path, { as: seed.keys.personal.secret, headers }))
  }
  const shown = `${letters.slice(0, 10).map(quoteName).join(', ')}, 2 more`
  const refused = '400 invalid_request_error: '
  expect([
    await ask(`?${letters.map((letter) => `${letter}=1`).join('&')}`, ''),
    await ask(`?${long}=1`, ''),
    await ask('', letters.join(',')),
    await ask('', long),
  ]).toEqual([
    `${refused}this operation does not have the query parameter ${shown}`,
    `${refused}this operation does not have the query parameter ${cut}`,
    `${refused}vendor-beta names a feature that does not exist: ${shown}`,
    `${refused}vendor-beta names a feature that does not exist: ${cut}`,
  ])
})
