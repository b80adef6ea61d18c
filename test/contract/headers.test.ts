import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isReservedHeader, validateHeader, validateHeaderSet } from '../../src/contract/client-headers.ts'
import { type Headers, mergeHeaders } from '../../src/contract/headers.ts'
import { limits } from '../../src/contract/limits.ts'
import { codePoint } from '../setup/code-point.ts'

test.each([
  'authorization',
  'Authorization',
  'proxy-authorization',
  'x-api-key',
  'X-API-Key',
  'cookie',
  'host',
  'connection',
  'transfer-encoding',
  'Expect',
  'Upgrade',
  'Keep-Alive',
  'proxy-connection',
  'TE',
  'trailer',
  'content-type',
  'Content-Length',
  'content-anything',
  'vendor-version',
  'Vendor-Beta',
])('the header %s belongs to the client', (name) => {
  expect(isReservedHeader(name)).toBe(true)
  expect(validateHeader(name, 'x')).toBe(`"${name}" belongs to the client and cannot be set`)
})

test.each([
  'X-Team',
  'x-upgrade',
  'expectation',
  'x-te',
  'x-org-route',
  'vendor-workspace-id',
  'x-content',
  'contents',
  'set-cookie2',
  '__proto__',
  '0',
])('the header %s is free', (name) => {
  expect(isReservedHeader(name)).toBe(false)
  expect(validateHeader(name, 'x')).toBeUndefined()
})

test.each([
  '',
  ' ',
  'X Team',
  'X-Team:',
  'X-Téam',
  'X-Team\r\nInjected',
  'X-Team\n',
  '\nX-Team',
  'X\0',
  '(x)',
  '"x"',
  'a/b',
])('%j is not a header name', (name) => {
  expect(validateHeader(name, 'x')).toBe(`${JSON.stringify(name)} is not a header name (RFC 9110 token)`)
})

test('every character that RFC 9110 allows in a name is allowed, and no other', () => {
  const letters = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code))
  const allowed = letters.filter((letter) => validateHeader(letter, '') === undefined).join('')
  expect(allowed).toBe("!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~")
})

test('a value holds visible ASCII and spaces, and nothing else', () => {
  const letters = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code))
  const allowed = letters.filter((letter) => validateHeader('X', letter) === undefined).join('')
  expect(allowed).toBe(letters.slice(0x20, 0x7f).join(''))
})

test.each(['a\r\nb', 'a\n', '\ra', 'a\0b', 'a\tb', 'é', '🔑', '\u2028'])(
  'the value %j is refused without being repeated',
  (value) => {
    expect(validateHeader('X-Team', value)).toBe(
      'the value of "X-Team" has a character beyond visible ASCII and spaces',
    )
  },
)

test('a value of 8 KiB is sent, and one byte more is refused', () => {
  expect(validateHeader('X-Team', 'v'.repeat(8192))).toBeUndefined()
  expect(validateHeader('X-Team', 'v'.repeat(8193))).toBe('the value of "X-Team" is longer than 8192 bytes')
})

test.each<[what: string, headers: object[], problems: string[]]>([
  ['no header', [], []],
  ['different names', [{ 'X-A': '1' }, { 'X-B': '2' }], []],
  ['one name twice', [{ 'X-A': '1' }, { 'X-A': '1' }], ['"X-A" is given twice']],
  ['names that differ in case', [{ 'X-A': '1' }, { 'x-a': '2' }], ['"X-A" and "x-a" differ in case only']],
  [
    'everything wrong at once',
    [{ Host: 'h' }, { 'a b': '' }, { 'X-A': '\n' }, { 'x-a': '' }],
    [
      '"Host" belongs to the client and cannot be set',
      '"a b" is not a header name (RFC 9110 token)',
      'the value of "X-A" has a character beyond visible ASCII and spaces',
      '"X-A" and "x-a" differ in case only',
    ],
  ],
])('%s: %j has the problems %j', (_, headers, problems) => {
  expect(validateHeaderSet(headers.flatMap((each) => Object.entries(each)))).toEqual(problems)
})

test('32 headers are sent, and 33 are refused', () => {
  const headers = Array.from({ length: 33 }, (_, index) => [`X-${index}`, ''] as const)
  expect(validateHeaderSet(headers.slice(0, limits.headers))).toEqual([])
  expect(validateHeaderSet(headers)).toEqual(['33 headers are more than the 32 allowed'])
})

test.each<[custom: Headers, fromHelper: Headers, merged: Headers]>([
  [{}, {}, {}],
  [{ 'X-A': 'document' }, {}, { 'X-A': 'document' }],
  [{}, { 'X-A': 'helper' }, { 'X-A': 'helper' }],
  [{ 'X-A': 'document', 'X-B': 'kept' }, { 'X-A': 'helper' }, { 'X-B': 'kept', 'X-A': 'helper' }],
  [{ 'X-A': 'document' }, { 'x-a': 'helper' }, { 'x-a': 'helper' }],
])('%j under %j is sent as %j', (custom, fromHelper, merged) => {
  expect(mergeHeaders(custom, fromHelper)).toEqual(merged)
})

test('a refusal never repeats the value, whatever name and value are', () => {
  const marked = fc.string({ unit: codePoint }).map((rest) => `v4lue-mark${rest}`)
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), marked, (name, value) => {
      expect(validateHeader(name, value) ?? '').not.toContain('v4lue-mark')
    }),
  )
})
