import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import helper from '../../../helpers/workload-token.ts'
import { root } from '../../../pkg-scripts/tree.ts'
import { program } from './workbench.ts'

test('every source of identity tokens is in the table of sources', async () => {
  const page = await readFile(join(root, 'docs', 'helpers', `${program}.md`), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z][a-z-]+)` \|/gm)].map(([, kind]) => kind)
  expect(rows).toEqual([...helper.options.identity.value])
})
