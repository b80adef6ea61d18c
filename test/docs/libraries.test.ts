import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'

test('docs/libraries.md names every library that the project installs, but for types', () => {
  const page = readFileSync(join(root, 'docs', 'libraries.md'), 'utf8')
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const libraries = Object.keys(devDependencies).filter((name) => !name.startsWith('@types/'))
  expect(libraries.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  expect(libraries.length).toBeGreaterThan(30)
})
