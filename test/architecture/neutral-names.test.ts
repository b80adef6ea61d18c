import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { product, scripts } from './source-files.ts'

/** The beginnings of names that carry a vendor's brand, as a build for no vendor has them. */
const neutral =
  /\bVENDOR_|\bvendor-(version|beta|workspace|desktop)|sk-vendor|com\.vendor|aws-external|Policies\\+Vendor/

test('no source or packaging script outside src/vendor names the vendor', () => {
  const packaging = readdirSync(join(root, 'packaging'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ path: `packaging/${name}`, text: readFileSync(join(root, 'packaging', name), 'utf8') }))
  const found = [...product, ...scripts, ...packaging].filter(({ text }) => neutral.test(text))
  expect(found.map(({ path }) => path)).toEqual(['src/vendor/known-clients.ts', 'src/vendor/setting.ts'])
})
