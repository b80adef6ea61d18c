import { globSync } from 'node:fs'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { beforeAll, expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'

const name = 'skeleton-token'

/** A checkout inside the project, so that its libraries are found, with one file more. */
const tree = join(root, 'dist', 'test', 'one-file')

beforeAll(async () => {
  await rm(tree, { recursive: true, force: true })
  const parts = ['docs', 'helpers', 'packaging', 'pkg-scripts', 'src', 'test']
  const files = ['CONTRIBUTING.md', 'README.md', 'package.json', 'tsconfig.json', 'vitest.config.ts']
  for (const part of [...parts, ...files]) await cp(join(root, part), join(tree, part), { recursive: true })
  const [, code = ''] = /```ts\n(.*?)```/s.exec(await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? []
  await writeFile(join(tree, 'helpers', `${name}.ts`), code)
})

/** Runs a tool of the project in the checkout; what it says is shown where it fails. */
async function runTool(tool: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const program = join(root, 'node_modules', '.bin', tool)
  const { exitCode, all } = await execa(program, args, { cwd: tree, env, all: true, reject: false })
  return { status: exitCode, shown: exitCode === 0 ? '' : all }
}

/** Test files; without those that build executables. */
const files = globSync('test/**/*.test.ts', { cwd: root }).filter((path) => !/^test.(executables|packaging)/.test(path))

/** Those that run once for each helper. What takes one helper of each family tests what all of them share. */
async function findTests(kind: 'quick' | 'slow'): Promise<string[]> {
  const texts = await Promise.all(files.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })))
  return texts
    .filter(
      ({ path, text }) => path.endsWith('.slow.test.ts') === (kind === 'slow') && /list(Tested)?Helpers\(/.test(text),
    )
    .map(({ path }) => path)
}

const projects = { quick: ['--project=quick'], slow: ['--project=slow', '--project=patient'] } as const

/** Runs those tests for the added helper alone. A pattern that fits no test would succeed, so they are counted. */
async function runForHelper(kind: 'quick' | 'slow') {
  const report = join(tree, 'report.json')
  const outcome = await runTool(
    'vitest',
    ['run', ...projects[kind], '--testNamePattern', name, ...(await findTests(kind))],
    { TEST_REPORT: report },
  )
  const { numPassedTests } = JSON.parse(await readFile(report, 'utf8')) as { numPassedTests: number } // vitest's own form
  return { ...outcome, numPassedTests }
}

const passed = { status: 0, shown: '' }

test('the helper that CONTRIBUTING.md shows fits its types', async () => {
  expect(await runTool('tsc', [])).toEqual(passed)
})

test('it is built, and passes the quick tests that every helper must pass, with nothing else changed', async () => {
  const { numPassedTests, ...outcome } = await runForHelper('quick')
  expect(outcome).toEqual(passed)
  expect(numPassedTests).toBeGreaterThan(40)
})

test('it keeps the rules of the architecture', async () => {
  expect(await runTool('vitest', ['run', '--project', 'quick', 'test/architecture'])).toEqual(passed)
})

test('it passes the slow tests that every helper must pass', async () => {
  const { numPassedTests, ...outcome } = await runForHelper('slow')
  expect(outcome).toEqual(passed)
  expect(numPassedTests).toBeGreaterThan(0)
}, 900_000)
