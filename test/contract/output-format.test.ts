import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toHeaderRules } from '../../src/contract/client-headers.ts'
import { type HelperOutput, parseOutput } from '../../src/contract/output.ts'
import { formatFacts, type OutputFormat, toRenderedOutput } from '../../src/contract/output-format.ts'

const now = Date.UTC(2026, 0, 15, 12)
const bytes = (text: string) => Buffer.from(text)
const writerOf = (format: OutputFormat) => formatFacts[format].writer!
const toRendered = (output: HelperOutput, format: OutputFormat) =>
  toRenderedOutput({ ...output, now }, { format, rules: toHeaderRules() })

describe('the output of a helper', () => {
  const plain = { token: 'tok', headers: {} }
  const full = { token: 'tok', headers: { 'X-A': '1', 'X-B': 'b c' } }

  test.each<[output: HelperOutput, format: OutputFormat, text: string]>([
    [plain, 'json', '{"token":"tok"}\n'],
    [full, 'json', '{"token":"tok","headers":{"X-A":"1","X-B":"b c"}}\n'],
    [plain, 'token', 'tok\n'],
    [{ token: '{x', headers: {} }, 'json', '{"token":"{x"}\n'],
    [plain, 'headers', 'Authorization: Bearer tok\n'],
    [full, 'headers', 'Authorization: Bearer tok\nX-A: 1\nX-B: b c\n'],
    [plain, 'headers-json', '{"Authorization":"Bearer tok"}\n'],
    [full, 'headers-json', '{"Authorization":"Bearer tok","X-A":"1","X-B":"b c"}\n'],
    [plain, 'access-token-json', '{"access_token":"tok","token_type":"Bearer"}\n'],
    [plain, 'proxy-authorization', 'Bearer tok\n'],
  ])('%j as %s is %j', (output, format, text) => {
    expect(toRendered(output, format)).toEqual({ text })
  })

  test.each<[lifeMs: number, seconds: number]>([
    [3_600_000, 3600],
    [1_999, 1],
    [999, 0],
    [-5_000, 0],
  ])('an access token response states what is left of %d ms as %d seconds', (lifeMs, seconds) => {
    expect(writerOf('access-token-json').render({ ...plain, now, expiresAt: now + lifeMs })).toBe(
      `{"access_token":"tok","token_type":"Bearer","expires_in":${seconds}}\n`,
    )
  })

  const notAWord = 'the token is not one word of visible ASCII'
  test.each<[output: HelperOutput, format: OutputFormat, problems: string[]]>([
    [{ token: '', headers: {} }, 'json', [notAWord]],
    [{ token: 'a b', headers: {} }, 'json', [notAWord]],
    [{ token: ' a', headers: {} }, 'token', [notAWord]],
    [{ token: 'a\n', headers: {} }, 'json', [notAWord]],
    [{ token: 'a\r\nX-B: c', headers: {} }, 'headers', [notAWord]],
    [{ token: 'a\0', headers: {} }, 'json', [notAWord]],
    [{ token: 'é', headers: {} }, 'json', [notAWord]],
    [{ token: 'x'.repeat(65_537), headers: {} }, 'json', ['the token is longer than 65536 bytes']],
    [{ token: '{x', headers: {} }, 'token', ['a bare token that starts with "{" is read as JSON']],
    [full, 'token', ['a bare token cannot carry headers']],
    [full, 'access-token-json', ['an access token response cannot carry headers']],
    [full, 'proxy-authorization', ['the value of one header cannot carry headers']],
    [
      { token: 't', headers: { authorization: 'x' } },
      'headers-json',
      ['"authorization" belongs to the client and cannot be set'],
    ],
    [{ token: 't', headers: { Host: 'h' } }, 'json', ['"Host" belongs to the client and cannot be set']],
    [{ token: 't', headers: { A: '1', a: '2' } }, 'json', ['"A" and "a" differ in case only']],
    [
      { token: '{ ', headers: { Host: '' } },
      'token',
      [
        '"Host" belongs to the client and cannot be set',
        notAWord,
        'a bare token cannot carry headers',
        'a bare token that starts with "{" is read as JSON',
      ],
    ],
  ])('%j as %s has the problems %j', (output, format, problems) => {
    expect(toRendered(output, format)).toEqual({ problems })
  })
})

describe('for all inputs', () => {
  const control = fc.constantFrom('\r', '\n', '\0', '\t', '\x1b', '\x7f', '\u0085', '\u2028', '\uFEFF', ' ', '{', '"')
  const anyText = fc.string({ unit: fc.oneof({ weight: 4, arbitrary: fc.string({ maxLength: 1 }) }, control) })
  const name = fc.string({ unit: fc.constantFrom(...'aAbXx-_.0') })
  const value = fc.string({ unit: fc.oneof(fc.constantFrom(...' ~az"\\{'), control) })
  const output = fc.record({
    token: fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.stringMatching(/^[\x21-\x7e]{1,40}$/), anyText),
    headers: fc.dictionary(fc.oneof({ weight: 5, arbitrary: name }, anyText), value, { maxKeys: 4 }),
  })

  test.each(['json', 'token'] as const)(
    'an output that passes as %s is read back equal and without a warning',
    (format) => {
      let passed = 0
      fc.assert(
        fc.property(output, (original) => {
          const rendered = toRendered(original, format)
          if ('problems' in rendered) return
          passed += 1
          expect(parseOutput(bytes(rendered.text))).toEqual({
            ok: true,
            output: original,
            warnings: [],
          })
        }),
        { numRuns: 2000 },
      )
      expect(passed).toBeGreaterThan(100)
    },
  )

  test('an output that passes as headers-json is one object with every header', () => {
    fc.assert(
      fc.property(output, (original) => {
        const rendered = toRendered(original, 'headers-json')
        if ('problems' in rendered) return
        const { token, headers } = original
        expect(JSON.parse(rendered.text)).toEqual({
          Authorization: `Bearer ${token}`,
          ...headers,
        })
      }),
      { numRuns: 2000 },
    )
  })

  test.each(['json', 'token', 'headers', 'headers-json'] as const)(
    'nothing that is rendered as %s holds CR, LF or NUL beyond its own line ends',
    (format) => {
      fc.assert(
        fc.property(output, (original) => {
          const rendered = toRendered(original, format)
          if ('problems' in rendered) return
          const lines = format === 'headers' ? 1 + Object.keys(original.headers).length : 1
          expect([...rendered.text].filter((letter) => '\r\n\0'.includes(letter)).join('')).toBe('\n'.repeat(lines))
        }),
        { numRuns: 2000 },
      )
    },
  )
})
