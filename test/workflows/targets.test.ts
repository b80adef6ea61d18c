import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { listRuntimes } from '../../pkg-scripts/executable/runtimes.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { workflows } from './read-workflows.ts'

const targets = listRuntimes().map(({ target }) => target)

test.each(['pull-request', 'release'])(
  '%s has a runner for every platform, and the same one in all its jobs',
  (name) => {
    const { text = '' } = workflows.find(({ path }) => path.endsWith(`${name}.yml`)) ?? {}
    const rows = [...text.matchAll(/\{ (?<row>target: [\w-]+, runner: [\w.-]+) \}/g)]
    const pairs = [...new Set(rows.map(({ groups }) => groups!.row!))]
    expect({
      targets: pairs.map((pair) => pair.replace(/^target: (\S+),.*$/, '$1')).sort(),
      runners: new Set(pairs.map((pair) => pair.replace(/^.*runner: /, ''))).size,
    }).toEqual({ targets: targets.toSorted(), runners: targets.length })
  },
)

test('a pull request tries what it has built', () => {
  const { text = '' } = workflows.find(({ path }) => path.endsWith('pull-request.yml')) ?? {}
  expect(text.match(/^ {8}run: pkg-scripts\/ci\/smoke\.sh$/gm)).toHaveLength(1)
})

/** Files of the project, and scripts of npm, that a text runs. */
const named = /\b(?<file>(?:pkg-scripts|packaging)\/[\w./-]+\.(?:ts|sh|cmd|ps1))|\bnpm run (?<script>[\w:]+)/g

test('every file that a workflow or a script of it runs exists', () => {
  const scripts = globSync('pkg-scripts/ci/*.sh', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))
  const found = [...workflows.map(({ text }) => text), ...scripts].flatMap((text) => [...text.matchAll(named)])
  const missing = found.filter(({ groups }) =>
    groups!.file === undefined
      ? !Object.hasOwn(manifest.scripts, groups!.script!)
      : !existsSync(join(root, groups!.file)),
  )
  expect(missing.map(([text]) => text)).toEqual([])
  expect(found.length).toBeGreaterThan(5)
})
