import { expect, test } from 'vitest'
import { hasUnquotable, quoteForShell, quoteForWindows } from '../../../src/contract/clients/quote-words.ts'

test.each([
  [['/opt/x', '--a=b', 'c'], '/opt/x --a=b c'],
  [['/opt/a b', "it's", '$HOME', '=x', '', '~'], `'/opt/a b' 'it'\\''s' '$HOME' '=x' '' '~'`],
  [['a\nb', '*', '#'], `'a\nb' '*' '#'`],
])('%j as a line for a shell', (words, line) => {
  expect(quoteForShell(words)).toBe(line)
})

test.each([
  [['C:\\x.exe', '--a', 'b'], 'C:\\x.exe --a b'],
  [['C:\\Program Files\\x.exe', 'C:\\a b\\', 'a&b', ''], '"C:\\Program Files\\x.exe" "C:\\a b\\\\" "a&b" ""'],
])('%j as a line of Windows', (words, line) => {
  expect(quoteForWindows(words)).toBe(line)
})

test('what a line of Windows cannot hold is found, and control characters anywhere', () => {
  expect(['a"b', '%PATH%', 'a\nb', 'a b'].map((word) => hasUnquotable([word], 'windows'))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(['a"b', '%PATH%', 'a\nb', 'a b'].map((word) => hasUnquotable([word], 'posix'))).toEqual([
    false,
    false,
    true,
    false,
  ])
})
