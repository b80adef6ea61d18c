import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPlaceholder } from '../../src/contract/api-keys.ts'

test.each([
  '',
  '<API_KEY>',
  '<your key>',
  'YOUR_API_KEY',
  'YOUR-API-KEY-HERE',
  'your_gateway_token',
  'yourApiKey',
  'YourKeyHere',
  'sk-vendor-YOUR_API_KEY',
  'sk-your-key',
  'Bearer <token>',
  'my-api-key',
  'MY_SECRET_KEY',
  'changeme',
  'ChangeMe123',
  'CHANGE_ME',
  'change-it',
  'changeit',
  'REPLACE_ME',
  'replace-with-key',
  'INSERT_KEY_HERE',
  'api-key-goes-here',
  'fill-me-in',
  'xxx',
  'xxxxxxxx',
  'XXXX-XXXX-XXXX',
  'sk-xxxxxxxxxxxxxxxx',
  'sk-vendor-xxxx',
  'ghp_xxxxxxxxxxxx',
  'key-xxxxxxxxxxxx-1',
  '********',
  'sk-…',
  'sk-vendor-...',
  'sk-vendor-<key>',
  'prefix-<id>-suffix',
  '{{ api_key }}',
  `\${API_KEY}`,
  '$API_KEY',
  '%API_KEY%',
  '__API_KEY__',
  '@API_KEY@',
  '[key]',
  'API_KEY',
  'api key',
  'apikey',
  'test-key',
  'test-token-1',
  'dummy',
  'sample_key',
  'placeholder',
  'example',
  'TODO',
  'FIXME',
  'tbd',
  'null',
  'n/a',
  'not-used',
  '0000000000',
  '123456789',
  'abc123',
])('%j is a placeholder', (text) => {
  expect(isPlaceholder(text)).toBe(true)
})

test.each([
  'k8Jd72nfn',
  'sk-vendor-a1b2c3d4e5f6',
  'sk-proj-Ux9d8fkQ',
  'AKIAIOSFODNN7EXAMPLF',
  'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  'eyJhbGciOiJIUzI1NiJ9.e30.c2ln',
  'testament-of-youth-93',
  'yourself0192837465',
  'sixxxl-9281',
  'mykonos-182736',
])('%j may be a key', (text) => {
  expect(isPlaceholder(text)).toBe(false)
})

test('no random key is a placeholder', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
  const key = fc.array(fc.constantFrom(...letters), { minLength: 24, maxLength: 64 }).map((chars) => chars.join(''))
  fc.assert(
    fc.property(key, (text) => !isPlaceholder(text)),
    { numRuns: 2000, seed: 12 },
  )
})
