import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderHelperRows, tablePages } from '../../pkg-scripts/docs/helper-rows.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { toNamesInForce } from '../setup/names.ts'

test.each(tablePages)(
  '%s says of each helper what its page and its declaration say; `npm run docs` corrects it',
  async (path) => {
    const page = readFileSync(join(root, path), 'utf8')
    expect(toNamesInForce(page)).toBe(toNamesInForce(await renderHelperRows(path, page)))
  },
)
