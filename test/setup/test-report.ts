import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter, TestModule, TestSpecification } from 'vitest/node'

/**
 * Writes which files and tests have passed, in the format of vitest's own JSON. That one leaves out a file whose process has ended before
 * the file began, and says `passed` of one whose process has ended in its midst; here both have failed.
 */
export class TestReport implements Reporter {
  readonly #path: string
  #names: readonly string[] = []

  constructor(path: string) {
    this.#path = path
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#names = specifications.map(({ moduleId }) => moduleId)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const testResults = this.#names.map((name) =>
      toFileResult(
        name,
        modules.find(({ moduleId }) => moduleId === name),
      ),
    )
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
    const numPassedTests = tests.filter(({ status }) => status === 'passed').length
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(this.#path, JSON.stringify({ numTotalTests: tests.length, numPassedTests, testResults }))
  }
}

function toFileResult(name: string, module: TestModule | undefined) {
  const assertionResults = [...(module?.children.allTests() ?? [])].map((test) => ({
    fullName: test.fullName,
    status: test.result().state,
  }))
  const isEnded = module?.ok() && assertionResults.every(({ status }) => status !== 'pending')
  return { name, status: isEnded ? 'passed' : 'failed', assertionResults }
}
