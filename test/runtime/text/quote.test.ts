import { expect, test } from 'vitest'
import {
  describeLook,
  describeRemoval,
  hasUnquotable,
  mountsCommands,
  quoteForAnyShell,
  quoteForeign,
  quoteForHint,
  quoteForPowerShell,
  quoteForShell,
  quoteForWindows,
  quoteWord,
} from '../../../src/runtime/text/quote.ts'

test.each([
  [['/opt/x', '--a=b', 'c'], '/opt/x --a=b c'],
  [['/opt/a b', "it's", '$HOME', '=x', '', '~'], `'/opt/a b' 'it'\\''s' '$HOME' '=x' '' '~'`],
  [['a\nb', '*', '#'], `'a\nb' '*' '#'`],
])('%j is quoted as a line for a shell', (words, line) => {
  expect(quoteForShell(words)).toBe(line)
})

test.each([
  [['C:\\x.exe', '--a', 'b'], 'C:\\x.exe --a b'],
  [['C:\\Program Files\\x.exe', 'C:\\a b\\', 'a&b', ''], '"C:\\Program Files\\x.exe" "C:\\a b\\\\" "a&b" ""'],
])('%j is quoted as a line of Windows', (words, line) => {
  expect(quoteForWindows(words)).toBe(line)
})

test.each([
  ['$HOME', "'$HOME'"],
  ["it's", "'it''s'"],
  ['it’s ‘a’ ‚b‛', "'it’’s ‘‘a’’ ‚‚b‛‛'"],
])('%s is quoted as the word %s of PowerShell', (text, word) => {
  expect(quoteForPowerShell(text)).toBe(word)
})

test.each([
  ['posix', "/home/o'b/x", "ls -ld '/home/o'\\''b/x'"],
  ['windows', 'C:\\Users\\a b\\x', 'icacls "C:\\Users\\a b\\x"'],
] as const)('on %s, the command that shows who may read %s is %s', (system, path, command) => {
  expect(describeLook(path, system)).toBe(command)
})

test('on Windows, a hint names a command of Windows that lists what is mounted', () => {
  expect(mountsCommands).toEqual({ posix: 'mount', windows: 'net use' })
})

test.each([
  ['posix', 'file', "/home/o'b/x", "rm '/home/o'\\''b/x'"],
  ['posix', 'directory', '/home/x', "rm '/home/x'"],
  ['windows', 'file', 'C:\\Users\\a b\\x', 'del "C:\\Users\\a b\\x"'],
  ['windows', 'directory', 'C:\\Users\\x', 'rmdir C:\\Users\\x'],
] as const)('on %s, the command that removes a %s, %s, is %s', (system, place, path, command) => {
  expect(describeRemoval(path, place, system)).toBe(command)
})

test.each([
  ['posix', "/home/o'b/x", "'/home/o'\\''b/x'"],
  ['posix', 'releases', "'releases'"],
  ['windows', 'C:\\Users\\a b\\x', '"C:\\Users\\a b\\x"'],
  ['windows', 'releases', 'releases'],
] as const)('on %s, a hint has the path %s as %s', (system, path, word) => {
  expect(quoteForHint(path, system)).toBe(word)
})

test('characters that a line of Windows cannot hold are found', () => {
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

test.each([
  ['dev', 'dev'],
  ['team/dev@corp', 'team/dev@corp'],
  ['my team', '"my team"'],
  ['a"b$(c)`d`\\', '"a\\"b\\$(c)\\`d\\`\\\\"'],
  ['', '""'],
])('the name %j is the word %s of a command', (name, word) => {
  expect(quoteForAnyShell(name)).toBe(word)
})

test('text of another party is quoted up to 200 characters, unless it is not a string', () => {
  expect(['an issuer', 'x'.repeat(201), undefined, 7].map(quoteForeign)).toEqual([
    '"an issuer"',
    `"${'x'.repeat(200)}"`,
    'none',
    'none',
  ])
})

test('a word of a hint stands between quotes, also one with an apostrophe', () => {
  expect(quoteWord('/home/dana/token')).toBe("'/home/dana/token'")
  expect(quoteWord("/home/dana's/token")).toBe("'/home/dana'\\''s/token'")
})
