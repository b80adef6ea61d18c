/** The things to close at the end, the latest first. The oldest Node that we support has no `AsyncDisposableStack`. */
export class Closing {
  readonly #steps: (() => unknown)[] = []

  add(step: () => unknown): void {
    this.#steps.push(step)
  }

  async close(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step()
  }
}
