import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toHeaderRules } from '../../src/contract/client-headers.ts'
import type { Headers } from '../../src/contract/headers.ts'
import { type OutputReason, type OutputWarning, outputReasons, parseOutput } from '../../src/contract/output.ts'
import { formatFacts, jsonWriter, outputFormats, toRenderedOutput } from '../../src/contract/output-format.ts'

const bytes = (text: string) => Buffer.from(text)
const accepted = (token: string, headers: Headers = {}, warnings: OutputWarning[] = []) => ({
  ok: true,
  output: { token, headers },
  warnings,
})
const refused = (reason: OutputReason, detail?: string) => ({
  ok: false,
  reason,
  message: detail ? `${outputReasons[reason]}: ${detail}` : outputReasons[reason],
})

describe('the output that a client reads', () => {
  test.each<[what: string, stdout: string, outcome: ReturnType<typeof accepted>]>([
    ['one bare token', 'tok', accepted('tok')],
    ['white space around it', ' \r\n\ttok\r\n\n', accepted('tok')],
    ['a token object', '{"token":"tok"}\n', accepted('tok')],
    ['headers beside it', '{"token":"t","headers":{"X-Org-Route":"prod"}}', accepted('t', { 'X-Org-Route': 'prod' })],
    ['an object on several lines', '{\n  "token": "tok"\n}\n', accepted('tok')],
    ['white space around the token inside', '{"token":"\\n tok "}', accepted('tok')],
    ['headers that are null', '{"token":"tok","headers":null}', accepted('tok')],
    ['headers that are empty', '{"token":"tok","headers":{}}', accepted('tok')],
    ['unknown keys', '{"token":"tok","expires_in":1,"Version":1}', accepted('tok')],
    ['an empty header value', '{"token":"t","headers":{"X-A":""}}', accepted('t', { 'X-A': '' })],
    [
      'a header value that is not text',
      '{"token":"t","headers":{"X-A":1,"X-B":"b","Host":null}}',
      accepted('t', { 'X-B': 'b' }, ['header-value-dropped']),
    ],
    ['a banner before the object', 'Welcome!\n{"token":"tok"}', accepted('tok', {}, ['text-before-json'])],
    ['a banner ended by CR LF', 'a\r\nb\r\n{"token":"tok"}', accepted('tok', {}, ['text-before-json'])],
    ['a byte order mark before a token', '\uFEFFtok\n', accepted('tok', {}, ['byte-order-mark'])],
    ['a byte order mark before an object', '\uFEFF{"token":"tok"}', accepted('tok', {}, ['byte-order-mark'])],
    [
      'a byte order mark and a banner',
      '\uFEFFHi\n{"token":"tok"}',
      accepted('tok', {}, ['byte-order-mark', 'text-before-json']),
    ],
    [
      'an error sentence on one line',
      'Error: please sign in',
      accepted('Error: please sign in', {}, ['token-with-spaces']),
    ],
    ['one line of JSON that is no object', '["tok"]', accepted('["tok"]')],
    ['a brace within a line', 'tok{"token":"x"}', accepted('tok{"token":"x"}')],
    ['the longest token', 'x'.repeat(65_536), accepted('x'.repeat(65_536))],
  ])('%s is accepted', (_, stdout, outcome) => {
    expect(parseOutput(bytes(stdout))).toEqual(outcome)
  })

  test.each<[what: string, stdout: string, outcome: ReturnType<typeof refused>]>([
    ['nothing', '', refused('empty')],
    ['white space only', ' \r\n\t', refused('empty')],
    ['a byte order mark only', '\uFEFF\n', refused('empty')],
    ['several lines that are not JSON', 'a\nb', refused('unrecognized')],
    ['two tokens separated by CR', 'a\rb', refused('unrecognized')],
    ['an object that is cut off', '{"token":"tok"', refused('unrecognized')],
    ['text after the object', '{"token":"tok"}\nbye', refused('unrecognized')],
    ['two objects', '{"token":"a"}\n{"token":"b"}', refused('unrecognized')],
    ['a credential_process document', '{"Version":1,"AccessKeyId":"AKIA"}', refused('credential-process')],
    ['an object without a token', '{"access_token":"tok"}', refused('no-token')],
    ['an empty object', '{}', refused('no-token')],
    ['a token that is empty', '{"token":""}', refused('invalid-token')],
    ['a token of white space', '{"token":" \\n"}', refused('invalid-token')],
    ['a token that is a number', '{"token":1}', refused('invalid-token')],
    ['a token that is null', '{"token":null}', refused('invalid-token')],
    ['a token with LF inside', '{"token":"a\\nb"}', refused('invalid-token')],
    ['a token with CR inside', '{"token":"a\\rb"}', refused('invalid-token')],
    ['a token with NUL inside', '{"token":"a\\u0000b"}', refused('invalid-token')],
    ['a bare token with NUL inside', 'a\0b', refused('invalid-token')],
    ['a bare token over 64 KiB', 'x'.repeat(65_537), refused('invalid-token')],
    ['a token over 64 KiB of UTF-8', JSON.stringify({ token: 'é'.repeat(32_769) }), refused('invalid-token')],
    ['headers that are a list', '{"token":"tok","headers":[]}', refused('invalid-headers')],
    ['headers that are a text', '{"token":"tok","headers":"X-A: 1"}', refused('invalid-headers')],
    ['headers that are a number', '{"token":"tok","headers":0}', refused('invalid-headers')],
    ['headers that are false', '{"token":"tok","headers":false}', refused('invalid-headers')],
    [
      'a header that carries a credential',
      '{"token":"tok","headers":{"Authorization":"x"}}',
      refused('refused-header', '"Authorization" belongs to the client and cannot be set'),
    ],
    [
      'a header that would inject another',
      '{"token":"tok","headers":{"X-A":"1\\r\\nX-B: 2"}}',
      refused('refused-header', 'the value of "X-A" has a character beyond visible ASCII and spaces'),
    ],
    [
      'two headers that differ in case only',
      '{"token":"tok","headers":{"X-A":"1","x-a":"2"}}',
      refused('refused-header', '"X-A" and "x-a" differ in case only'),
    ],
  ])('%s is refused', (_, stdout, outcome) => {
    expect(parseOutput(bytes(stdout))).toEqual(outcome)
  })

  test('8 MiB are read, and one byte more is refused', () => {
    const full = Buffer.alloc(8 * 1024 * 1024, ' ')
    full.write('tok')
    expect(parseOutput(full)).toEqual(accepted('tok'))
    expect(parseOutput(Buffer.concat([full, bytes(' ')]))).toEqual(refused('too-large'))
  })

  test('bytes that are not UTF-8 are refused', () => {
    expect(parseOutput(Buffer.from('\uFEFFtok', 'utf16le'))).toEqual(refused('encoding'))
    expect(parseOutput(Uint8Array.of(0x74, 0xc3, 0x28))).toEqual(refused('encoding'))
  })

  test('an own key named like a prototype stays a header and reaches no prototype', () => {
    const parsed = parseOutput(bytes('{"token":"tok","headers":{"__proto__":"x"}}'))
    expect(parsed.ok && Object.entries(parsed.output.headers)).toEqual([['__proto__', 'x']])
    expect(parseOutput(bytes('{"__proto__":{"token":"tok"}}'))).toEqual(refused('no-token'))
  })
})

describe('for all inputs', () => {
  const control = fc.constantFrom('\r', '\n', '\0', '\t', '\x1b', '\x7f', '\u0085', '\u2028', '\uFEFF', ' ', '{', '"')
  const anyText = fc.string({ unit: fc.oneof({ weight: 4, arbitrary: fc.string({ maxLength: 1 }) }, control) })

  const document = fc.record(
    { token: fc.oneof(anyText, fc.jsonValue()), headers: fc.oneof(fc.dictionary(anyText, anyText), fc.jsonValue()) },
    { requiredKeys: [] },
  )
  test.each<[what: string, stdout: fc.Arbitrary<Uint8Array>]>([
    ['bytes', fc.uint8Array({ maxLength: 200 })],
    ['text with control characters', anyText.map(bytes)],
    ['JSON', fc.json().map(bytes)],
    ['documents that are nearly right', document.map((value) => bytes(JSON.stringify(value)))],
    [
      'documents after a banner',
      fc.tuple(anyText, document).map(([text, d]) => bytes(`${text}\n${JSON.stringify(d)}`)),
    ],
  ])('random %s are read without a throw, and no CR, LF or NUL survives', (_, stdout) => {
    fc.assert(
      fc.property(stdout, (bytesRead) => {
        const parsed = parseOutput(bytesRead)
        if (!parsed.ok) return
        const texts = [parsed.output.token, ...Object.entries(parsed.output.headers).flat()]
        expect(texts.filter((text) => /[\r\n\0]/.test(text))).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  test('a document nested beyond every stack is refused without a throw', () => {
    expect(parseOutput(bytes(`{"headers":${'['.repeat(100_000)}`))).toEqual(refused('unrecognized'))
    expect(parseOutput(bytes(`{"token":"t","headers":${'['.repeat(100_000)}${']'.repeat(100_000)}}`))).toEqual(
      refused('invalid-headers'),
    )
  })

  test('no refusal repeats a token, wherever it is in the output', () => {
    const spoilt = fc.tuple(anyText, anyText).map(([before, after]) => `${before}s3cret-mark${after}`)
    fc.assert(
      fc.property(spoilt, fc.constantFrom(...outputFormats), (token, format) => {
        const stdouts = [token, `${token}\n${token}`, JSON.stringify({ token, headers: [] }), `{"token":"${token}`]
        const messages = stdouts.map((stdout) => {
          const parsed = parseOutput(bytes(stdout))
          return parsed.ok ? '' : parsed.message
        })
        const { writer = jsonWriter } = formatFacts[format]
        const rendered = toRenderedOutput({ token, headers: {}, now: 0 }, { format, rules: toHeaderRules() }, writer)
        const problems = 'problems' in rendered ? rendered.problems : []
        expect([...messages, ...problems].join()).not.toContain('s3cret-mark')
      }),
    )
  })
})

test('the header that an option of our helpers allows is read with a warning, since not every client sends it', () => {
  const headers = { 'Proxy-Authorization': 'Bearer t' }
  const text = JSON.stringify({ token: 't', headers })
  expect(parseOutput(Buffer.from(text))).toEqual({
    ok: true,
    output: { token: 't', headers },
    warnings: ['proxy-authorization'],
  })
})
