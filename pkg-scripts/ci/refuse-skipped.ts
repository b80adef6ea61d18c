// Folder: the checks of `.ci/run` besides tests: skipped tests, wording, and other names of the vendor.

import { readFileSync } from 'node:fs'

interface Report {
  readonly numTotalTests: number
  readonly numPassedTests: number
}

// Fails when a test report holds a test that was skipped or failed: `node pkg-scripts/ci/refuse-skipped.ts REPORT…`.
for (const path of process.argv.slice(2)) {
  const { numTotalTests, numPassedTests }: Report = JSON.parse(readFileSync(path, 'utf8'))
  const isWhole = numTotalTests > 0 && numPassedTests === numTotalTests
  console.log(
    `${path}: ${numPassedTests} of ${numTotalTests} tests passed${isWhole ? '' : ': some were skipped or failed'}`,
  )
  if (!isWhole) process.exitCode = 1
}
