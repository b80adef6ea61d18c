import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleDirectory, listHelpers, root } from '../../pkg-scripts/tree.ts'

test('docs/executables.md says the sizes of the bundles within five per cent', () => {
  const page = readFileSync(join(root, 'docs', 'executables.md'), 'utf8')
  const [, ...said] = /A bundle is one file of ([\d,]+) to ([\d,]+) KB/.exec(page)!
  const sizes = listHelpers().map((name) => statSync(join(bundleDirectory, `${name}.cjs`)).size / 1000)
  const built = [Math.min(...sizes), Math.max(...sizes)]
  const far = built.filter((size, index) => Math.abs(Number(said[index]?.replaceAll(',', '')) / size - 1) > 0.05)
  expect(far, `write ${built.map((size) => Math.round(size).toLocaleString('en')).join(' to ')} KB`).toEqual([])
})
