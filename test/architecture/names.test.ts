import { expect, test } from 'vitest'
import { product, scripts } from './source-files.ts'

test('every file is named in kebab-case for its concept, and none gathers what has no name', () => {
  const paths = [...product, ...scripts].map(({ path }) => path)
  expect(paths.filter((path) => !/^([a-z0-9-]+\/)+[a-z0-9-]+\.ts$/.test(path))).toEqual([])
  expect(paths.filter((path) => /(^|[/-])(utils?|common|misc|manager|service|index)[.-]/.test(path))).toEqual([])
})
