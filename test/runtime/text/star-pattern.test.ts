import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPatternMatch } from '../../../src/runtime/text/star-pattern.ts'

test.each([
  ['a', 'a', true],
  ['a', 'ab', false],
  ['*', '', true],
  ['a*', 'a', true],
  ['a*', 'ba', false],
  ['*a', 'ba', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['**', 'x', true],
  ['a.c', 'abc', false],
  ['[a]*', 'a', false],
  ['*ab*ab*', 'abab', true],
  ['*ab*ab*', 'aba', false],
])('%s matches %s: %s', (pattern, text, matches) => {
  expect(isPatternMatch(pattern, text)).toBe(matches)
})

test('a star matches any text, and nothing else has a meaning', () => {
  const words = fc
    .array(fc.constantFrom('a', 'b', '*', '.', '\n'), { maxLength: 12 })
    .map((letters) => letters.join(''))
  fc.assert(
    fc.property(words, words, (pattern, text) => {
      const expression = new RegExp(`^${pattern.split('*').map(RegExp.escape).join('[^]*')}$`)
      expect(isPatternMatch(pattern, text)).toBe(expression.test(text))
    }),
  )
})

test('no pattern makes a search slow', { timeout: 20_000 }, () => {
  expect(isPatternMatch(`${'*a'.repeat(250)}*b`, 'a'.repeat(64 * 1024))).toBe(false)
})
