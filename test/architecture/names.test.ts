import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { product, scripts } from './source-files.ts'

test('every file is named in kebab-case for its concept, and none gathers what has no name', () => {
  const paths = [...product, ...scripts].map(({ path }) => path)
  expect(paths.filter((path) => !/^([a-z0-9-]+\/)+[a-z0-9-]+(\.d)?\.ts$/.test(path))).toEqual([])
  expect(paths.filter((path) => /(^|[/-])(utils?|common|misc|manager|service|index)[.-]/.test(path))).toEqual([])
})

test('an exported function begins with a word of the glossary in docs/architecture.md', () => {
  const words = readFirstWords()
  const declarations = /^export (?:default )?(?:async )?function\*? *(?<first>[a-z0-9]+)\w*/gm
  const strange = [...product, ...scripts].flatMap(({ path, text }) =>
    [...text.matchAll(declarations)]
      .filter(({ groups }) => !words.has(groups!.first!))
      .map(([declaration]) => `${path}: ${declaration}`),
  )
  expect(strange).toEqual([])
  expect(words.size).toBeGreaterThan(50)
})

function readFirstWords(): Set<string> {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const section = page.split('### First words of functions\n')[1]?.split('\n#')[0] ?? ''
  const cells = [...section.matchAll(/^\| (?<cell>`.*?) \|/gm)].map(({ groups }) => groups!.cell!)
  return new Set(cells.flatMap((cell) => cell.match(/\w+/g) ?? []))
}
