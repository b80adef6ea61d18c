import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wrapWords } from '../../../src/helper/run/help.ts'

test.each<[what: string, text: string, wrapped: string]>([
  ['a line that fits', 'one two three four', 'one two three four'],
  ['a line that does not', 'one two three four five', 'one two three four\nfive'],
  ['an indented line', '  one two three four', '  one two three\n  four'],
  ['a line with two columns', '  0  one two three four', '  0  one two three\n     four'],
  ['a first column that leaves too little', '  a-long-option  one two', '  a-long-option  one\n  two'],
  ['a word that is too long', 'see https://example.com/a/b/c now', 'see\nhttps://example.com/a/b/c\nnow'],
  ['empty lines', '\n\none two three four five\n', '\n\none two three four\nfive\n'],
])('wraps %s', (_what, text, wrapped) => {
  expect(wrapWords(text, 18)).toBe(wrapped)
})

test('no word is broken or lost, and no line of several words is too long', () => {
  const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !/\s/.test(text))
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.nat(4), (words, indent) => {
      const lines = wrapWords(' '.repeat(indent) + words.join(' '), 20).split('\n')
      expect({
        words: lines.flatMap((line) => line.trim().split(' ')),
        tooLong: lines.filter((line) => line.length > 20 && line.trim().includes(' ')),
      }).toEqual({ words, tooLong: [] })
    }),
  )
})
