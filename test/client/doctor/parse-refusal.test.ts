import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRefusal } from '../../../src/client/doctor/parse-refusal.ts'

const json = JSON.stringify

test.each<[what: string, body: string, refusal: object]>([
  [
    "the API's envelope",
    json({ type: 'error', error: { type: 'a_error', message: 'No.' } }),
    { code: 'a_error', message: 'No.' },
  ],
  ['an envelope without a type', json({ error: { message: 'No.' } }), { message: 'No.' }],
  ['RFC 6749', json({ error: 'invalid_token', error_description: 'No.' }), { code: 'invalid_token', message: 'No.' }],
  ['a code alone', json({ error: 'invalid_token' }), { code: 'invalid_token' }],
  ['a message alone', json({ message: 'Unauthorized' }), { message: 'Unauthorized' }],
  ['AWS', json({ __type: 'AccessDeniedException', Message: 'No.' }), { code: 'AccessDeniedException', message: 'No.' }],
  [
    'RFC 9457',
    json({ type: 'https://e.example/no', title: 'No', detail: 'Not now.' }),
    { code: 'https://e.example/no', message: 'Not now.' },
  ],
  ['a detail', json({ detail: 'Not authenticated' }), { message: 'Not authenticated' }],
  [
    'a list of details',
    json({ detail: [{ loc: ['body'], msg: 'field required', type: 'missing' }] }),
    { code: 'missing', message: 'field required' },
  ],
  ['a list of errors', json({ errors: [{ code: 1020, message: 'blocked' }] }), { code: '1020', message: 'blocked' }],
  ['a code that is a number', json({ error: { code: 401, message: 'No.' } }), { code: '401', message: 'No.' }],
  ['an object that nobody knows', '{"ok":false}', { message: '{"ok":false}' }],
  ['an empty message', json({ error: { message: '' } }), { message: json({ error: { message: '' } }) }],
  ['a list', '["no"]', { message: '["no"]' }],
  ['JSON text', '"no"', { message: 'no' }],
  ['a bare text', ' upstream connect error\n', { message: 'upstream connect error' }],
  ['a page', '<!DOCTYPE html><html><head><title>Sign in</title>', { message: 'Sign in' }],
  ['a page without a title', '<html><body>x', {}],
  ['nothing', ' \n', {}],
])('%s is shown in its own words', (_what, body, refusal) => {
  expect(parseRefusal(body)).toEqual(refusal)
})

test('no answer makes the parser throw or say undefined', () => {
  fc.assert(
    fc.property(fc.json(), (body) => {
      expect(Object.values(parseRefusal(body)).join()).not.toMatch(/^undefined$|\[object/)
    }),
  )
})
