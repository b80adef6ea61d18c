import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderHelperPages } from '../../pkg-scripts/docs/helper-rows.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { toNamesInForce } from '../setup/names.ts'

test.each(await renderHelperPages())(
  '$path says of each helper what its page and its declaration say; `npm run docs` corrects it',
  ({ path, text }) => {
    expect(toNamesInForce(readFileSync(join(root, path), 'utf8'))).toBe(toNamesInForce(text))
  },
)
