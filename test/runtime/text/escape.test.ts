import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeControls } from '../../../src/runtime/text/escape.ts'
import { codePoint } from '../../setup/code-point.ts'

test.each<[what: string, text: string, escaped: string]>([
  ['an escape sequence', 'a\x1b[2Jb\x9b31m', 'a\\u001b[2Jb\\u009b31m'],
  ['characters that turn the direction of writing', 'a\u202eb\u2066c\u200f\u061c', 'a\\u202eb\\u2066c\\u200f\\u061c'],
  ['invisible characters', 'a\u200b\ufeff\u00ad\u{e0041}', 'a\\u200b\\ufeff\\u00ad\\udb40\\udc41'],
  ['a carriage return that paints over a line', 'fail\rpass', 'fail\\u000dpass'],
  ['line ends of Windows', 'a\r\nb', 'a\nb'],
  ['separators of lines and paragraphs', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['neither lines nor tabs', 'a\n\tb\n', 'a\n\tb\n'],
  ['no joiners, which words and emoji need', 'می\u200cخواهم 👨\u200d👩', 'می\u200cخواهم 👨\u200d👩'],
  ['no letters of any script', 'grün 日本 עברית', 'grün 日本 עברית'],
])('escapes %s', (_what, text, escaped) => {
  expect(escapeControls(text)).toBe(escaped)
})

test('JSON text means the same after it is escaped', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.constantFrom(0, 2), (text, indent) => {
      const escaped = escapeControls(JSON.stringify({ [text]: text }, undefined, indent))
      expect(JSON.parse(escaped)).toEqual({ [text]: text })
      expect(escaped.match(/(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu)).toBeNull()
    }),
  )
})
