import { expect, test } from 'vitest'
import { listHelpers } from '../../pkg-scripts/tree.ts'
import { product } from '../architecture/source-files.ts'

test('no source names a helper: messages take the name of the program from the call', () => {
  const sources = product.filter(({ path }) => path.startsWith('src/sources/'))
  const named = sources.flatMap(({ path, code }) =>
    listHelpers()
      .filter((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code))
      .map((name) => `${path} names ${name}`),
  )
  expect(named).toEqual([])
  expect(sources.length).toBeGreaterThan(listHelpers().length)
})
