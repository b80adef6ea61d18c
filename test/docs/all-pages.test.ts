import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'

const page = readFileSync(join(root, 'docs/README.md'), 'utf8')

/** The pages that a part of docs/README.md lists, in its order. */
function listPages(part: string): string[] {
  return [...part.matchAll(/^\| \[(?<name>[\w/.-]+)\]\(\k<name>\) \| \S.*\S \|$/gm)].map(({ groups }) => groups!.name!)
}

function countWords(name: string): number {
  return readFileSync(join(root, 'docs', name), 'utf8')
    .split(/\s+/)
    .filter(Boolean).length
}

test('docs/README.md says in a sentence what each page is for, once', () => {
  const all = globSync('**/*.md', { cwd: join(root, 'docs') }).map((path) => path.replaceAll('\\', '/'))
  expect(listPages(page).toSorted()).toEqual(all.filter((name) => name !== 'README.md').toSorted())
})

test('the path of a rollout is read in an hour', () => {
  const path = page.split('## I roll it out\n')[1]!.split('\nWhich helper')[0]!
  expect(listPages(path)).toEqual(['rollout.md', 'vendor.md', 'install.md'])
  expect(listPages(path).reduce((words, name) => words + countWords(name), 0)).toBeLessThanOrEqual(6_000)
})
