import { expect, test } from 'vitest'
import { parseAnswer, parseRequest } from '../../../../src/sources/keychain/system/child-messages.ts'

const item = { service: 'gatepass', account: 'default', label: 'Gatepass' }
const request = { operation: 'read', item, prompt: 'never', limitSec: 5 }

test.each([
  { ...request, sealed: 'AAAA' },
  { ...request, operation: 'write', secret: '' },
])('a request is read as it was sent: %j', (sent) => {
  expect(parseRequest(JSON.stringify(sent))).toEqual(sent)
})

test('a text that a person may have typed is not a request', () => {
  const wrong = [
    '',
    'get',
    '[]',
    ...[{ operation: 'list' }, { item: undefined }, { item: { ...item, account: 1 } }, { limitSec: '5' }].map(
      (change) => JSON.stringify({ ...request, ...change }),
    ),
    JSON.stringify({ ...request, operation: 'write' }),
    JSON.stringify({ ...request, secret: 'x' }),
  ]
  expect(wrong.map(parseRequest)).toEqual(wrong.map(() => undefined))
})

test('nobody is asked where a request does not say that they may be', () => {
  expect(parseRequest(JSON.stringify({ ...request, prompt: 'always' }))).toEqual(request)
  expect(parseRequest(JSON.stringify({ ...request, prompt: 'allowed' }))).toEqual({ ...request, prompt: 'allowed' })
})

test('an answer is read as it was sent', () => {
  const answers = [
    { state: 'found', secret: 'ä' },
    { state: 'none' },
    { state: 'done' },
    { state: 'stranger' },
    { state: 'sealed', sealed: 'AAAA' },
    { state: 'failed', call: 'SecItemAdd', code: -25308, keychain: 'locked', session: 'desktop' },
  ]
  expect(answers.map((answer) => parseAnswer(JSON.stringify(answer)))).toEqual(answers)
})

test('a text that is not sent as an answer is not an answer', () => {
  const wrong = ['', '{}', 'Segmentation fault', '{"state":"found"}', '{"state":"failed","call":"x"}', '{"state":"x"}']
  expect(wrong.map(parseAnswer)).toEqual(wrong.map(() => undefined))
})
