import { describe, expect, test } from 'vitest'
import { longestJwtBytes, parseSignedJwt } from '../../../src/verify/jwt/parse-signed-jwt.ts'

const encode = (text: string | Uint8Array) => Buffer.from(text).toString('base64url')
const header = encode('{"alg":"ES256"}')
const claims = encode('{"sub":"a"}')
const signature = encode('signature')
const spelling = 'it is not written in the one form that base64url without padding has'
const parts = 'it is not a JWT, which has three parts'
const twice = 'its payload names a member twice'
const noObject = 'its payload is not a JSON object'

test('a token is parsed into its claims and the text that its signature covers', () => {
  const text = `${header}.${claims}.${signature}`
  expect(parseSignedJwt(text)).toEqual({
    signingInput: `${header}.${claims}`,
    signature: Buffer.from('signature'),
    header: { alg: 'ES256' },
    claims: { sub: 'a' },
  })
})

describe('no other form is a token', () => {
  test.each<[string, string, problem: string]>([
    ['nothing', '', parts],
    ['a word', 'token', parts],
    ['no signature and no point', `${header}.${claims}`, parts],
    ['no signature', `${header}.${claims}.`, 'it has no signature'],
    ['points alone', '..', 'it has no signature'],
    ['a fourth part', `${header}.${claims}.${signature}.`, parts],
    ['a fourth part with text', `${header}.${claims}.${signature}.${signature}`, parts],
    ['an encrypted token', `${header}....`, 'it is encrypted (JWE)'],
    ['six parts', `${header}.....`, parts],
    ['no header', `.${claims}.${signature}`, 'its header is not a JSON object'],
    ['no payload', `${header}..${signature}`, noObject],
    ['the JSON form', `{"payload":"${claims}","protected":"${header}","signature":"${signature}"}`, parts],
    ['padding', `${header}.${encode('{"sub":"ab"}')}=.${signature}`, spelling],
    ['padding of the signature', `${header}.${claims}.${encode('ab')}=`, spelling],
    ['unused bits', `${header}.${claims}.${encode('ab').replace(/I$/, 'J')}`, spelling],
    ['one character too many', `${header}.${claims}.${encode('abc')}A`, spelling],
    ['the letters of base64', `${header}.${claims}.+/+/`, spelling],
    ['a space', `${header}.${claims}. ${signature}`, spelling],
    ['a line break at the end', `${header}.${claims}.${signature}\n`, spelling],
    ['a letter beyond ASCII', `${header}.${claims}.${signature}é`, spelling],
    ['a NUL', `${header}.${claims}.${signature}\0`, spelling],
    ['a header that is not JSON', `${encode('alg')}.${claims}.${signature}`, 'its header is not a JSON object'],
    ['a header that is a list', `${encode('[]')}.${claims}.${signature}`, 'its header is not a JSON object'],
    ['a payload that is a text', `${header}.${encode('"sub"')}.${signature}`, noObject],
    ['a payload that is null', `${header}.${encode('null')}.${signature}`, noObject],
    ['a payload that is a list', `${header}.${encode('[{}]')}.${signature}`, noObject],
    ['a token as payload', `${header}.${encode(`${header}.${claims}.${signature}`)}.${signature}`, noObject],
    ['more than one value', `${header}.${encode('{}{}')}.${signature}`, noObject],
    ['a byte order mark', `${header}.${encode('\ufeff{}')}.${signature}`, noObject],
    ['no UTF-8', `${header}.${encode(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d))}.${signature}`, noObject],
    ['a claim twice', `${header}.${encode('{"sub":"a","sub":"b"}')}.${signature}`, twice],
    ['a claim twice, once escaped', `${header}.${encode('{"sub":"a","s\\u0075b":"b"}')}.${signature}`, twice],
    ['a member twice, deeper', `${header}.${encode('{"a":[{"b":{"c":1,"c":1}}]}')}.${signature}`, twice],
    [
      'alg twice',
      `${encode('{"alg":"none","alg":"ES256"}')}.${claims}.${signature}`,
      'its header names a member twice',
    ],
    [
      'a long one',
      `${header}.${encode('{}'.padEnd(13_000))}.${signature}`,
      `it is longer than ${longestJwtBytes} bytes`,
    ],
  ])('refuses %s', (_, text, problem) => {
    expect(parseSignedJwt(text)).toEqual({ problem })
  })
})

test('the same name in two objects, as a value, and inside a text is not a duplicate member', () => {
  const text = '{"a":{"a":"a"},"b":[{"a":1},{"a":2}],"c":"\\"a\\":1,\\"a\\":","d":["a","a"]}'
  const parsed = parseSignedJwt(`${header}.${encode(text)}.${signature}`)
  expect('claims' in parsed && parsed.claims).toEqual(JSON.parse(text))
})

test('deep nesting is parsed', () => {
  const text = `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`
  expect(parseSignedJwt(`${header}.${encode(text)}.${signature}`)).toHaveProperty('claims')
})
