import type { Reporter, TestModule } from 'vitest/node'

/**
 * Names the files that have been running for so long that none of their tests can still be within its limit. A test that waits
 * synchronously holds its worker where no limit of vitest reaches it, and the run would end without a word.
 */
export class StuckFiles implements Reporter {
  readonly #lastNews = new Map<string, number>()
  readonly #limitMs: number

  constructor(limitMs = 20 * 60_000) {
    this.#limitMs = limitMs
  }

  onTestRunStart(): void {
    setInterval(() => this.#tell(), this.#limitMs / 4).unref()
  }

  onTestModuleStart({ relativeModuleId }: TestModule): void {
    this.#lastNews.set(relativeModuleId, performance.now())
  }

  onTestCaseResult({ module }: { readonly module: TestModule }): void {
    this.#lastNews.set(module.relativeModuleId, performance.now())
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#lastNews.delete(relativeModuleId)
  }

  #tell(): void {
    for (const [name, at] of this.#lastNews) {
      const minutes = Math.floor((performance.now() - at) / 60_000)
      if (performance.now() - at > this.#limitMs) console.log(`\nNo test of ${name} has ended for ${minutes} minutes`)
    }
  }
}
