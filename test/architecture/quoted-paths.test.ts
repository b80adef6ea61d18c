import { expect, test } from 'vitest'
import { product } from './source-files.ts'

test('a path in a command of a hint is quoted by quoteWord, because a name may hold an apostrophe', () => {
  const byHand = /(?:ls -l\w*|chmod [\w+-]+|chown \w+|rm|ln -f) '\$\{/
  const quoted = /(?:chmod [\w+-]+ \$\{quoteWord|describeLook)\(/
  const [found, others] = [byHand, quoted].map((pattern) => listFiles(pattern))
  expect({ found, areOthersQuoted: others!.length > 8 }).toEqual({ found: [], areOthersQuoted: true })
})

test('a path in a command of Gatepass is quoted, because a name may hold a blank', () => {
  const ours = /(?:gatepass|\$\{programName\})(?: [\w-]+)+ '?\$\{(?:directory|file|folder|path|source)\}/
  const wouldBeFound = ours.test(`see why: gatepass bootstrap check \${folder}`)
  expect({ found: listFiles(ours), wouldBeFound }).toEqual({ found: [], wouldBeFound: true })
})

test('a path in a command that Windows has as well gets the quotes of the machine, because cmd.exe has no single ones', () => {
  const posix = /(?:(?:gatepass|\$\{program(?:Name)?\}|openssl)(?: [\w-]+)+| --[\w-]+) \$\{quoteWord\(/
  const commands = ['gatepass bootstrap check ', `\${program} sign-in --profile `, ' --key-file ', 'openssl pkey -in ']
  const missed = commands.filter((command) => !posix.test(`${command}\${quoteWord(word)}`))
  expect({ found: listFiles(posix), missed }).toEqual({ found: [], missed: [] })
})

test('the command that shows who may read a file stands in one place, because Windows has another', () => {
  const found = product.filter(({ text }) => text.includes('ls -ld')).map(({ path }) => path)
  expect(found).toEqual(['src/runtime/text/quote.ts'])
})

/** Lists the files of the product in which a pattern is found. */
function listFiles(pattern: RegExp): string[] {
  return product.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
}
