/** Resources to close at the end, latest first. The oldest supported Node has no `AsyncDisposableStack`. */
export class Closing {
  readonly #steps: (() => unknown)[] = []

  add(step: () => unknown): void {
    this.#steps.push(step)
  }

  async close(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step()
  }
}

/** Opens resources one by one, and closes the open ones if a later one fails. */
export async function closeOnFailure<T>(open: (closing: Closing) => Promise<T>): Promise<T> {
  const closing = new Closing()
  try {
    return await open(closing)
  } catch (thrown) {
    await closing.close()
    throw thrown
  }
}

/** Runs with resources that are closed at its end, even after an error. */
export async function closeAtEnd(run: (closing: Closing) => Promise<void>): Promise<void> {
  const closing = new Closing()
  try {
    await run(closing)
  } finally {
    await closing.close()
  }
}
