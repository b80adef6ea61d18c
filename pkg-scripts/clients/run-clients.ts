// Folder: `npm run clients`: the real clients with helpers of the suite.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { HelperError } from '../../src/runtime/failure.ts'
import { parseOptions } from '../parse-options.ts'
import { tellFailures } from '../tell-failures.ts'
import { root } from '../tree.ts'
import { downloadClients, findClient, readClientVersion, realClients } from './real-clients.ts'

tellFailures('clients')
const { values, positionals } = parseOptions({
  command: 'npm run clients --',
  summary: 'runs real clients with helpers of the suite, and prints their versions and what came of it',
  options: { install: { type: 'boolean', summary: 'only installs the pinned clients, in dist/' } },
  operands: '[NAME…]',
})
for (const name of positionals) requireClient(name)
await downloadClients()
if (!values.install) await runClients(positionals.length > 0 ? positionals : Object.keys(realClients))

function requireClient(name: string): void {
  if (name in realClients) return
  throw new HelperError('usage', `no client has the name "${name}"`, `choose of ${Object.keys(realClients).join(', ')}`)
}

/** A test in the output of vitest's reporter `json`. */
interface TestResult {
  readonly title: string
  readonly status: string
}

async function runClients(names: readonly string[]): Promise<void> {
  let [passed, failed, skipped] = [0, 0, 0]
  for (const name of names) {
    const program = findClient(name)
    if (program === undefined) {
      console.log(`${name}: skipped, because it is not installed`)
      skipped += 1
      continue
    }
    const tests = await runTests(name)
    console.log(`${name} ${await readClientVersion(name, program)}`)
    for (const { title, status } of tests) console.log(`  ${status}: ${title}`)
    if (tests.length > 0 && tests.every(({ status }) => status === 'passed')) passed += 1
    else failed += 1
  }
  console.log(`clients: ${passed} passed, ${failed} failed, ${skipped} skipped`)
  if (failed > 0) process.exitCode = 1
}

/** Shows progress on a terminal. */
async function runTests(name: string): Promise<readonly TestResult[]> {
  const directory = await mkdtemp(join(tmpdir(), 'gatepass-clients-'))
  try {
    const report = join(directory, 'report.json')
    const progress = process.stdout.isTTY ? ['--reporter=default'] : []
    const reporters = [...progress, '--reporter=json', `--outputFile.json=${report}`]
    const projects = ['--project', 'patient', '--project', 'installed-clients']
    const argv = [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...projects,
      ...reporters,
      `real-clients/${name}`,
    ]
    const stdout = process.stdout.isTTY ? 'inherit' : 'ignore'
    await execa(process.execPath, argv, { cwd: root, reject: false, stdin: 'ignore', stdout, stderr: 'inherit' })
    const { testResults }: { testResults: readonly { assertionResults: readonly TestResult[] }[] } = JSON.parse(
      await readFile(report, 'utf8'),
    )
    return testResults.flatMap(({ assertionResults }) => assertionResults)
  } finally {
    await rm(directory, { recursive: true })
  }
}
