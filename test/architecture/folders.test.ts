import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { product, scripts } from './source-files.ts'

/** The most files among which a reader still finds the right one. */
const maxFiles = 25

/** Folders below `src`, one inside the other. */
const maxLevels = 4

/** A folder of fewer is a file, or belongs into its parent. */
const fewestFiles = 3

const files = [...product, ...scripts]
const filesOf = Map.groupBy(files, ({ path }) => dirname(path))
const folders = [...filesOf.keys()].filter((folder) => folder !== 'helpers')

/** Subfolders count as well. */
function countFiles(folder: string): number {
  return files.filter(({ path }) => path.startsWith(`${folder}/`)).length
}

test('a folder holds at most twenty-five files', () => {
  const large = [...filesOf].filter(([, inside]) => inside.length > maxFiles)
  expect(large.map(([folder, inside]) => `${folder}: ${inside.length}`)).toEqual([])
})

test('a folder of one or two files is a file', () => {
  expect(folders.filter((folder) => folder.startsWith('src/') && countFiles(folder) < fewestFiles)).toEqual([])
})

test('folders are at most four levels below src', () => {
  expect(folders.filter((folder) => folder.startsWith('src/') && folder.split('/').length - 1 > maxLevels)).toEqual([])
})

test('the first line of one file says in a sentence what its folder holds', () => {
  const sentence = /^\/\/ Folder: \S.*\.$/
  const said = folders.map((folder) => {
    const lines = filesOf.get(folder)!.map(({ text }) => text.split('\n', 1)[0]!)
    return [folder, lines.filter((line) => sentence.test(line)).length]
  })
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(folders.map((folder) => [folder, 1])))
})

test('a script that exports nothing says on its first line what it is for', () => {
  const silent = scripts.filter(({ text }) => !/^export /m.test(text) && !text.startsWith('// '))
  expect(silent.map(({ path }) => path)).toEqual([])
})

test('tests lie in the folder of what they test', () => {
  const layers = new Set(product.map(({ path }) => path.split('/')[1]))
  const testFolders = globSync('test/*/**/*.ts', { cwd: root }).map((path) => dirname(path.replaceAll('\\', '/')))
  const mirrored = [...new Set(testFolders)].filter((folder) => layers.has(folder.split('/')[1]))
  const lost = mirrored.filter((folder) => !existsSync(join(root, folder.replace('test', 'src'))))
  expect(lost).toEqual([])
})
