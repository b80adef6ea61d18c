import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { parseStoredToken } from '../../../../src/sources/aws/secret/mint-stored-token.ts'
import { codePoint } from '../../../setup/code-point.ts'

const parse = (text: string, jsonKey?: string) => parseStoredToken(text, { name: 'the secret "s"', jsonKey })
const bare = { headers: undefined, expiresAt: undefined }

test.each<[text: string, jsonKey: string | undefined, expected: object]>([
  ['t', undefined, { ...bare, token: 't' }],
  [' \n t \r\n', undefined, { ...bare, token: 't' }],
  ['\uFEFFt', undefined, { ...bare, token: 't' }],
  ['{"token":"t"}', undefined, { ...bare, token: 't' }],
  ['{"token":"t","headers":null,"expiresAt":null}', undefined, { ...bare, token: 't' }],
  ['{"token":"t","headers":{"X-A":"1"}}', undefined, { ...bare, token: 't', headers: { 'X-A': '1' } }],
  ['{"token":"x","key":"t\\n","headers":{"X-A":"1"}}', 'key', { ...bare, token: 't' }],
  ['{"k":"t","expiresAt":1768478400}', 'k', { ...bare, token: 't', expiresAt: new Date('2026-01-15T12:00:00Z') }],
  [
    '{"token":"t","expiresAt":"2026-01-15T13:00:00.5+01:00"}',
    undefined,
    { ...bare, token: 't', expiresAt: new Date('2026-01-15T12:00:00.500Z') },
  ],
])('%j is read as a token, with the json-key %j', (text, jsonKey, expected) => {
  expect(parse(text, jsonKey)).toEqual(expected)
})

const spaced = [
  'the secret "s" has spaces, line breaks or characters beyond ASCII, which no token has',
  'store the token and nothing else',
] as const
const noObject = [
  'the secret "s" is not a JSON object, and json-key names a member of one',
  'remove json-key, or store an object',
] as const
const brokenObject = [
  'the secret "s" begins like JSON but is not a JSON object',
  'correct what is stored: an object, or the token alone',
] as const
const noHeaders = [
  '"headers" of the secret "s" is not an object of strings',
  'store each header as "Name": "value"',
] as const
const noDate = [
  '"expiresAt" of the secret "s" is not a date',
  'store a date such as "2026-01-15T12:00:00Z", or seconds since 1970',
] as const
const missing = (key: string) =>
  [`"${key}" of the secret "s" is missing, or is not a text`, 'correct json-key, or what is stored'] as const

test.each<[text: string, message: string, hint: string, jsonKey?: string]>([
  ['', 'the secret "s" is empty', 'store the token there'],
  ['two words', ...spaced],
  ['schlüssel', ...spaced],
  [
    '{"key":"canary"}',
    'the secret "s" is a JSON object without "token"',
    'name the member that is the token with json-key',
  ],
  ['{"token":{"a":"canary"}}', ...missing('token')],
  ['{"token":" "}', '"token" of the secret "s" is empty', 'store the token there'],
  ['canary', ...noObject, 'key'],
  ['["canary"]', ...noObject, 'key'],
  ['{"a":"canary"}', ...missing('key'), 'key'],
  ['{"a":"canary"}', ...missing('toString'), 'toString'],
  ['{"token":"canary",}', ...brokenObject],
  ['["canary"]', ...brokenObject],
  ['{"key":7}', ...missing('key'), 'key'],
  ['{"token":"t","headers":["canary"]}', ...noHeaders],
  ['{"token":"t","headers":{"X-A":1}}', ...noHeaders],
  [
    '{"token":"t","headers":{"Authorization":"canary"}}',
    '"headers" of the secret "s": "Authorization" belongs to the client and cannot be set',
    'store headers that a client can send',
  ],
  ['{"token":"t","expiresAt":"soon"}', ...noDate],
  ['{"token":"t","expiresAt":"2026-01-15"}', ...noDate],
  ['{"token":"t","expiresAt":{}}', ...noDate],
])('%j is refused: %s', (text, message, hint, jsonKey) => {
  expect(() => parse(text, jsonKey)).toThrow(new HelperError('not-configured', message, hint))
})

test('whatever is stored, a refusal repeats nothing of it', () => {
  const marked = fc.string({ unit: codePoint }).map((rest) => `v4lue-mark${rest}`)
  const stored = fc.oneof(
    marked,
    fc.json().map((text) => `{"a":"v4lue-mark","b":${text}}`),
    fc
      .record({ token: fc.oneof(marked, fc.jsonValue()), headers: fc.dictionary(fc.constant('X-A'), marked) })
      .map((v) => JSON.stringify(v)),
  )
  fc.assert(
    fc.property(stored, fc.constantFrom(undefined, 'a', 'b'), (text, jsonKey) => {
      try {
        parse(text, jsonKey)
      } catch (error) {
        const { message, hint } = error as HelperError
        expect(`${message}${hint}`).not.toContain('v4lue-mark')
      }
    }),
  )
})
