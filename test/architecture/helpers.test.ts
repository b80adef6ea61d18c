import { expect, test } from 'vitest'
import { listMissingParts, toNamePattern } from '../../pkg-scripts/new-helper/missing-parts.ts'
import { listHelpers, root } from '../../pkg-scripts/tree.ts'
import { isCounted } from '../setup/tested-helpers.ts'
import { matches, product, scripts, tests } from './source-files.ts'

const helpers = product.filter(({ path }) => path.startsWith('helpers/'))

test('a helper is a declaration of under 60 lines', () => {
  const long = helpers.filter(({ text }) => text.split('\n').length > 60)
  expect(long.map(({ path }) => path)).toEqual([])
})

test('helpers lie beside each other, because the folder is the list', () => {
  const files = helpers.map(({ path }) => path)
  expect(files).toEqual(listHelpers().map((name) => `helpers/${name}.ts`))
})

test('only helpers, and files that a tool wants so, have a default export', () => {
  const found = [...product, ...scripts, ...tests].filter((file) =>
    matches(file, /^export (default\b|\{[^}]*\bas default\b)/m),
  )
  const paths = found.map(({ path }) => path)
  expect(paths).toEqual([...listHelpers().map((name) => `helpers/${name}.ts`), 'test/setup/build-once.ts'])
})

test('nothing that ships names a helper: what is known of one stands in its declaration', () => {
  const names = toNamePattern(listHelpers())
  const found = product.filter(({ path, text }) => !path.startsWith('helpers/') && names.test(text))
  // One table says which of them is for whom, which none of them can say of the others.
  expect(found.map(({ path }) => path)).toEqual(['src/cli/helper-choices.ts'])
})

test('every helper has everything that CONTRIBUTING.md lists', () => {
  const missing = listHelpers().flatMap((name) => {
    const parts = listMissingParts(root, name)
    return isCounted(name) ? parts : parts.filter((part) => !part.includes('/countable-source.ts'))
  })
  expect(missing).toEqual([])
})

test('a helper without anything lacks every part, in the order of CONTRIBUTING.md', () => {
  expect(listMissingParts(root, 'made-up-token')).toEqual([
    'helpers/made-up-token.ts: the declaration',
    'test/helpers/made-up-token/countable-source.ts: a stand-in of its source that counts requests, unless the declaration has an `example`',
    'test/helpers/made-up-token/*.test.ts: tests of what this helper alone does, failures included',
    'docs/helpers/made-up-token.md: its page',
    'src/cli/helper-choices.ts: for which gateway and which people `gatepass choose` names it',
    'CHANGELOG.md: what a user gets',
  ])
})
