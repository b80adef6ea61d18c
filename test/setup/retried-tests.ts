import type { Reporter, TestCase } from 'vitest/node'

/** Names at the end every test that failed at first and passed when it was tried again: each is a defect, of the test at least. */
export class RetriedTests implements Reporter {
  readonly #names: string[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`)
  }

  onTestRunEnd(): void {
    if (this.#names.length === 0) return
    console.log(`\nPassed only when tried again:\n${this.#names.map((name) => `  ${name}\n`).join('')}`)
  }
}
