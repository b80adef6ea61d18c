import { expect, test } from 'vitest'
import { listRuntimes } from '../../pkg-scripts/executable/runtimes.ts'
import { workflows } from './read-workflows.ts'

const targets = listRuntimes().map(({ target }) => target)

test.each(['pull-request', 'release'])('%s builds every platform, each on a runner of its own', (name) => {
  const { text = '' } = workflows.find(({ path }) => path.endsWith(`${name}.yml`)) ?? {}
  const rows = [...text.matchAll(/\{ target: (?<target>[\w-]+), runner: (?<runner>[\w.-]+) \}/g)]
  expect(rows.map(({ groups }) => groups!.target).sort()).toEqual(targets.toSorted())
  expect(new Set(rows.map(({ groups }) => groups!.runner)).size).toBe(targets.length)
})

test('what a pull request has built is tried, and where a system has a keychain, with it', () => {
  const { text = '' } = workflows.find(({ path }) => path.endsWith('pull-request.yml')) ?? {}
  expect(text.match(/npm run smoke --.*$/gm)).toEqual([
    'npm run smoke -- --require keychain',
    'npm run smoke -- --require keychain',
    'npm run smoke -- --require cmd --require powershell --require keychain',
  ])
})
