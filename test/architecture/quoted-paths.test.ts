import { expect, test } from 'vitest'
import { product } from './source-files.ts'

test('a path in a command of a hint is quoted by quoteWord, because a name may hold an apostrophe', () => {
  const byHand = /(?:ls -l\w*|chmod [\w+-]+|chown \w+|rm|ln -f) '\$\{/
  expect(product.filter(({ text }) => byHand.test(text)).map(({ path }) => path)).toEqual([])
  expect(
    product.filter(({ text }) => /(?:chmod [\w+-]+ \$\{quoteWord|describeLook)\(/.test(text)).length,
  ).toBeGreaterThan(8)
})

test('a path in a command of Gatepass is quoted, because a name may hold a blank', () => {
  const ours = /(?:gatepass|\$\{programName\})(?: [\w-]+)+ '?\$\{(?:directory|file|folder|path|source)\}/
  expect(product.filter(({ text }) => ours.test(text)).map(({ path }) => path)).toEqual([])
  expect(ours.test(`see why: gatepass bootstrap check \${folder}`)).toBe(true)
})

test('a path in a command that Windows has as well gets the quotes of the machine, because cmd.exe has no single ones', () => {
  const posix = /(?:(?:gatepass|\$\{program(?:Name)?\}|openssl)(?: [\w-]+)+| --[\w-]+) \$\{quoteWord\(/
  expect(product.filter(({ text }) => posix.test(text)).map(({ path }) => path)).toEqual([])
  expect(
    ['gatepass bootstrap check ', `\${program} sign-in --profile `, ' --key-file ', 'openssl pkey -in '].filter(
      (command) => !posix.test(`${command}\${quoteWord(word)}`),
    ),
  ).toEqual([])
})

test('the command that shows who may read a file stands in one place, because Windows has another', () => {
  const found = product.filter(({ text }) => text.includes('ls -ld')).map(({ path }) => path)
  expect(found).toEqual(['src/runtime/text/quote.ts'])
})
