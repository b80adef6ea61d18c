import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderWordCounts } from '../../pkg-scripts/docs/word-counts.ts'
import { root } from '../../pkg-scripts/tree.ts'

const page = readFileSync(join(root, 'docs/README.md'), 'utf8')

/** Lists the rows of a part of docs/README.md, in its order. */
function listRows(part: string) {
  const rows = [...part.matchAll(/^\| \[(?<name>[\w/.-]+)\]\(\k<name>\) \|.*?\|(?: (?<words>[\d,]+) \|)?$/gm)].map(
    ({ groups }) => groups!,
  )
  return rows.map(({ name, words = '0' }) => ({ name: name!, words: Number(words.replace(',', '')) }))
}

test('docs/README.md says in a sentence what each page is for, once', () => {
  const all = globSync('**/*.md', { cwd: join(root, 'docs') }).map((path) => path.replaceAll('\\', '/'))
  const names = listRows(page).map(({ name }) => name)
  expect(names.toSorted()).toEqual(all.filter((name) => name !== 'README.md').toSorted())
})

test('docs/README.md says how long each page is; `npm run docs` corrects it', () => {
  const counted = listRows(renderWordCounts(page))
  const isFar = ({ words }: { words: number }, at: number) => Math.abs(words - counted[at]!.words) > 300
  expect(listRows(page).filter(isFar)).toEqual([])
})

test('the pages of a rollout have at most 6,000 words, as docs/README.md says', () => {
  const path = renderWordCounts(page).split('## I roll it out\n')[1]!.split('\nWhich helper')[0]!
  const names = listRows(path).map(({ name }) => name)
  expect(names).toEqual(['setup.md', 'rollout.md', 'install.md'])
  const words = names.flatMap((name) => readFileSync(join(root, 'docs', name), 'utf8').match(/\S+/g) ?? [])
  expect(words.length).toBeLessThanOrEqual(6000)
})
