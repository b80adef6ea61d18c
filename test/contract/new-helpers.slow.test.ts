import { globSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { beforeAll, expect, inject, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { prints } from '../setup/run-program.ts'

/** A checkout inside the project, so that its libraries are found, with three helpers more. */
const tree = join(root, 'dist', 'test', 'new-helpers')

/** The one that CONTRIBUTING.md shows, one that needs no configuration, and one that `npm run new-helper` writes. */
const added = ['skeleton-token', 'machine-token', 'fresh-token'] as const

let told: unknown
beforeAll(async () => {
  await rm(tree, { recursive: true, force: true })
  const parts = ['docs', 'helpers', 'oldest-node', 'packaging', 'pkg-scripts', 'src', 'test']
  const pages = ['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md']
  const files = ['biome.json', 'package.json', 'tsconfig.json', 'vitest.config.ts']
  for (const part of [...parts, ...pages, ...files]) await cp(join(root, part), join(tree, part), { recursive: true })
  const [, code = ''] = /```ts\n(.*?)```/s.exec(await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? []
  await write('helpers/skeleton-token.ts', code)
  await writeMachineHelper()
  told = await runNewHelper('fresh-token')
})

async function write(path: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(join(tree, path)), { recursive: true })
  await writeFile(join(tree, path), text, { mode })
}

/** Writes a helper that asks a tool of the machine, which needs no setting; for a test, the tool asks the source in the home directory. */
async function writeMachineHelper(): Promise<void> {
  // Apart from its line, because this file is not a helper itself.
  const declares = 'export default defineHelper'
  const tool = join(tree, 'tool')
  const answer = '{"access_token": "made-up-token", "expires_in": 3600}'
  await write('tool', `#!/bin/sh\n[ -x "$HOME/print-token" ] && exec "$HOME/print-token"\necho '${answer}'\n`, 0o755)
  await write(
    'helpers/machine-token.ts',
    `import { defineHelper } from '../src/helper/define-helper.ts'
import { planCommand } from '../src/sources/command/plan-command.ts'

const unset = { path: undefined, life: undefined, 'token-pointer': undefined, 'expiry-pointer': undefined }
const settings = { ...unset, command: ['${tool}'], output: 'auto', watch: [], 'watch-variable': [], 'sign-in-command': undefined } as const

${declares}({
  summary: 'print the token that a tool of this machine keeps',
  options: {},
  facts: [],
  configuration: 'optional',
  plan: (host, _options, call) => planCommand(host, settings, call),

  async mint(host, _options, call, plan) {
    const { mintFromCommand } = await import('../src/sources/command/mint-command-token.ts')
    return mintFromCommand(host, call, plan)
  },
})
`,
  )
  await write(
    'test/helpers/machine-token/countable-source.ts',
    `import { startSource as startProgram } from '../command-token/countable-source.ts'

export async function startSource() {
  return { ...(await startProgram()), argv: (key = 0) => ['--header', \`X-Key: \${key}\`] }
}
`,
  )
}

async function runNewHelper(...names: string[]) {
  const script = join(tree, 'pkg-scripts', 'new-helper', 'new-helper.ts')
  const options = { extendEnv: false, reject: false, stripFinalNewline: false } as const
  const { exitCode: status, stdout, stderr } = await execa(process.execPath, [script, ...names], options)
  return { status, stdout, stderr }
}

test('npm run new-helper says what it has written, and what is left to do', () => {
  expect(told).toEqual(
    prints(`Written:
  helpers/fresh-token.ts
  test/helpers/fresh-token/countable-source.ts
  docs/helpers/fresh-token.md
  README.md: its row
  docs/README.md: its row
  docs/rollout.md: its row
Left to do, in the order of CONTRIBUTING.md:
  test/helpers/fresh-token/*.test.ts: tests of what this helper alone does, failures included
  src/cli/helper-choices.ts: for which gateway and which people \`gatepass choose\` names it
  CHANGELOG.md: what a user gets
Try it: npm run helper -- fresh-token --help
`),
  )
})

const example = 'npm run new-helper team-token'
const badName = `choose two or more words in small letters, with hyphens between them: ${example}`

test.each<[names: string[], message: string, hint: string]>([
  [[], 'no name is given', `give the helper a name: ${example}`],
  [['a-b', 'c-d'], 'more than one name is given', `give one: ${example}`],
  [['Vault-Token'], '"Vault-Token" cannot be the name of a helper', badName],
  [['vault'], '"vault" cannot be the name of a helper', badName],
  [['../vault-token'], '"../vault-token" cannot be the name of a helper', badName],
  [['api-key'], 'helpers/api-key.ts exists already', 'choose another name, or edit that file'],
  [['fresh-token'], 'helpers/fresh-token.ts exists already', 'choose another name, or edit that file'],
])('npm run new-helper refuses %j, and writes nothing', async (names, message, hint) => {
  const before = globSync('{helpers,docs/helpers,test/helpers}/**', { cwd: tree })
  const stderr = `new-helper: ${message}\nnew-helper: hint: ${hint}\n`
  expect(await runNewHelper(...names)).toEqual({ status: 2, stdout: '', stderr })
  expect(globSync('{helpers,docs/helpers,test/helpers}/**', { cwd: tree })).toEqual(before)
})

test('npm run new-helper refuses a name that is a word of the sources, because a test could not tell the two apart', async () => {
  expect(await runNewHelper('define-helper')).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'new-helper: src/cli/check-with-helper.ts uses the word define-helper for something else\nnew-helper: hint: choose another name, because a test refuses the name of a helper in src/\n',
  })
})

/** Runs a tool of the project in the checkout; what it says is shown where it fails. */
async function runTool(tool: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const program = join(root, 'node_modules', '.bin', tool)
  const { exitCode, all } = await execa(program, args, { cwd: tree, env, all: true, reject: false })
  return { status: exitCode, shown: exitCode === 0 ? '' : all }
}

const passed = { status: 0, shown: '' }

/** Writes a project of the compiler that has only these files and what they import: `npm run check` compiles all others. */
async function writeTypeProject(name: string, settings: string, files: readonly string[]): Promise<string> {
  const path = `dist/${name}.json`
  await write(path, JSON.stringify({ extends: `../${settings}`, include: files.map((file) => `../${file}`) }))
  return path
}

test('the added files fit their types, also for the oldest Node', async () => {
  const helpers = added.map((helper) => `helpers/${helper}.ts`)
  const sources = added.map((helper) => `test/helpers/${helper}`)
  const all = await writeTypeProject('added', 'tsconfig.json', [...helpers, ...sources])
  const oldest = await writeTypeProject('added-oldest', 'oldest-node/tsconfig.json', helpers)
  expect(await runTool('tsc', ['--project', all])).toEqual(passed)
  expect(await runTool('tsc', ['--project', oldest])).toEqual(passed)
})

test('the added files pass the formatter and the linter', async () => {
  const written = ['helpers/fresh-token.ts', 'test/helpers/fresh-token']
  // The folder of the checkout is one that Git ignores.
  expect(await runTool('biome', ['check', '--vcs-enabled=false', ...written])).toEqual(passed)
})

test('the added files have no sentence that a stranger has to read twice', async () => {
  const lint = join(tree, 'pkg-scripts', 'ci', 'plain-words.ts')
  const { exitCode, stdout, stderr } = await execa(process.execPath, [lint], { reject: false })
  expect({ status: exitCode, stderr }, stdout).toEqual({ status: 0, stderr: '' })
})

test('the added helpers keep the rules of the architecture, except that they lack parts', async () => {
  const others = ['--testNamePattern', '^(?!every helper has everything)']
  expect(await runTool('vitest', ['run', '--project', 'quick', ...others, 'test/architecture'])).toEqual(passed)
})

/** Test files; without those that build executables. */
const files = globSync('test/**/*.test.ts', { cwd: root }).filter((path) => !/^test.(executables|packaging)/.test(path))

/** Those that run once for each helper or page. What takes one helper of each family tests what all of them share. */
async function findTests(kind: 'quick' | 'slow'): Promise<string[]> {
  const texts = await Promise.all(files.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })))
  return texts
    .filter(
      ({ path, text }) => path.endsWith('.slow.test.ts') === (kind === 'slow') && /list(Tested)?Helpers\(/.test(text),
    )
    .map(({ path }) => path)
}

const projects = {
  quick: ['--project=quick'],
  slow: ['--project=slow', '--project=patient', '--project=repeated'],
} as const

/** The part of Vitest's own report that is read here. */
interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly { fullName: string; status: string }[] }[]
}

/** Runs those tests for the added helpers alone. A pattern that fits no test would succeed, so they are counted. */
async function runForHelpers(kind: 'quick' | 'slow') {
  const report = join(tree, 'report.json')
  const pattern = added.join('|')
  const outcome = await runTool(
    'vitest',
    ['run', ...projects[kind], '--testNamePattern', pattern, ...(await findTests(kind))],
    { TEST_REPORT: report },
  )
  const { testResults }: Report = JSON.parse(await readFile(report, 'utf8'))
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  const names = results.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName)
  const count = (helper: string) => names.filter((name) => name.includes(helper)).length
  return { outcome, counts: added.map(count) }
}

test('added helpers are built, and pass the quick tests of every helper', async () => {
  const { outcome, counts } = await runForHelpers('quick')
  expect(outcome).toEqual(passed)
  expect(counts.filter((count) => count <= 40)).toEqual([])
}, 900_000)

if (inject('testSet') === 'repeated')
  test('helpers that are added pass the slow tests of every helper', async () => {
    const { outcome, counts } = await runForHelpers('slow')
    expect(outcome).toEqual(passed)
    expect(counts.filter((count) => count === 0)).toEqual([])
  }, 900_000)
