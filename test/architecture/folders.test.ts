import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { product, scripts } from './source-files.ts'

/** What one takes in at a glance. */
const mostFiles = 15

const paths = [...product, ...scripts].map(({ path }) => path)
const filesOf = Map.groupBy(paths, (path) => dirname(path))

test('a folder holds at most fifteen files', () => {
  const large = [...filesOf].filter(([, files]) => files.length > mostFiles)
  expect(large.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([])
})

test('docs/architecture.md opens every folder with one sentence, and knows no other', () => {
  const page = readPage()
  const opened = [...page.matchAll(/^\| `(?<folder>[\w/-]+)\/` \| \S.*\S \|$/gm)].map(({ groups }) => groups!.folder!)
  expect(opened.toSorted()).toEqual([...filesOf.keys()].filter((folder) => folder !== 'src').toSorted())
})

test('tests lie in the folder of what they test', () => {
  const layers = new Set(product.map(({ path }) => path.split('/')[1]))
  const folders = globSync('test/*/**/*.ts', { cwd: root }).map((path) => dirname(path.replaceAll('\\', '/')))
  const mirrored = [...new Set(folders)].filter((folder) => layers.has(folder.split('/')[1]))
  const lost = mirrored.filter((folder) => !existsSync(join(root, folder.replace('test', 'src'))))
  expect(lost).toEqual([])
})

function readPage(): string {
  return readFileSync(join(root, 'docs/architecture.md'), 'utf8')
}
