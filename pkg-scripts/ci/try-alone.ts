// Runs the files that failed in a report once more, one after the other: `node pkg-scripts/ci/try-alone.ts REPORT`. A test that fails
// because others keep the processors busy passes then, and a defect fails again. The report is corrected if all pass.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { root } from '../tree.ts'

/** The part of a vitest report that is read here. */
interface SetReport {
  readonly numTotalTests: number
  readonly testResults: readonly FileResult[]
}

interface FileResult {
  /** The path of the file. */
  readonly name: string
  readonly status: string
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
}

/** More failures than this are not caused by other tests on the same processors. */
const most = 3

const [path = ''] = process.argv.slice(2)
const report: SetReport = JSON.parse(readFileSync(path, 'utf8'))
const failed = report.testResults.filter(({ status }) => status !== 'passed')
if (failed.length === 0 || failed.length > most) {
  console.log(`${failed.length} files failed: none is run again`)
  process.exitCode = 1
} else {
  const again = failed.flatMap(({ name }) => runAlone(name))
  const isPassed = again.length === failed.length && again.every(({ status }) => status === 'passed')
  if (isPassed) {
    const names = failed.flatMap(nameFailures)
    console.log(`\nPassed only without other tests beside them:\n${names.join('')}`)
    writeFileSync(path, JSON.stringify(mergeResults(report, again)))
  } else process.exitCode = 1
}

/** Returns a line for each failed test of a file, or one for the file if its process has ended before a test failed. */
function nameFailures({ name, assertionResults }: FileResult): readonly string[] {
  const file = relative(process.cwd(), name)
  const tests = assertionResults.filter(({ status }) => status === 'failed')
  return tests.length > 0 ? tests.map(({ fullName }) => `  ${file} > ${fullName}\n`) : [`  ${file}\n`]
}

/** Runs a file of tests, and returns its results; none if a test failed again. */
function runAlone(file: string): readonly FileResult[] {
  const directory = mkdtempSync(join(tmpdir(), 'try-alone-'))
  try {
    const output = join(directory, 'report.json')
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`]
    const argv = [vitest, 'run', relative(process.cwd(), file), '--retry=0', ...reporters]
    const { status } = spawnSync(process.execPath, argv, { stdio: 'inherit' })
    return status === 0 ? (JSON.parse(readFileSync(output, 'utf8')) as SetReport).testResults : []
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function mergeResults(
  before: SetReport,
  again: readonly FileResult[],
): SetReport & { readonly numPassedTests: number } {
  const results = new Map([...before.testResults, ...again].map((result) => [result.name, result]))
  const tests = [...results.values()].flatMap(({ assertionResults }) => assertionResults)
  return {
    ...before,
    numTotalTests: tests.length,
    numPassedTests: tests.filter(({ status }) => status === 'passed').length,
    testResults: [...results.values()],
  }
}
