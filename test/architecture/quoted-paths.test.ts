import { expect, test } from 'vitest'
import { product } from './source-files.ts'

test('a path in a command of a hint is quoted by quoteWord, because a name may hold an apostrophe', () => {
  const byHand = /(?:ls -l\w*|chmod [\w+-]+|chown \w+|rm|ln -f) '\$\{/
  expect(product.filter(({ text }) => byHand.test(text)).map(({ path }) => path)).toEqual([])
  expect(product.filter(({ text }) => /(?:ls -l\w*|chmod [\w+-]+) \$\{quoteWord\(/.test(text)).length).toBeGreaterThan(
    8,
  )
})
