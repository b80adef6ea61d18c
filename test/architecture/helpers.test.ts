import { expect, test } from 'vitest'
import { listHelpers } from '../../pkg-scripts/tree.ts'
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

test('default exports are for helpers, and for the tools that ask for one', () => {
  const found = [...product, ...scripts, ...tests].filter((file) =>
    matches(file, /^export (default\b|\{[^}]*\bas default\b)/m),
  )
  const paths = found.map(({ path }) => path)
  expect(paths).toEqual([...listHelpers().map((name) => `helpers/${name}.ts`), 'test/setup/build-once.ts'])
})

test('nothing that ships names a helper: what is known of one stands in its declaration', () => {
  // A longer word, such as the header x-api-key, names no helper.
  const names = new RegExp(`(?<![\\w-])(${listHelpers().join('|')})(?![\\w-])`)
  const found = product.filter(({ path, text }) => !path.startsWith('helpers/') && names.test(text))
  // One table says which of them is for whom, which none of them can say of the others.
  expect(found.map(({ path }) => path)).toEqual(['src/cli/choose/choices.ts'])
})
