/** So many are remembered; where there are more, the oldest of them is refused as used when it comes again. */
const longestList = 10_000

/**
 * The values that were sent for uses without an answer. Whoever sent such a token was told that nobody can tell now, and sends
 * it again: if the value in Redis is the one of that use, nobody else has used the token.
 */
export class UncertainUses {
  readonly #values = new Map<string, string>()

  /** The value of the use that had no answer. It is forgotten, so that only one of several uses at a time has it. */
  take(digest: string): string | undefined {
    const value = this.#values.get(digest)
    this.#values.delete(digest)
    return value
  }

  keep(digest: string, value: string): void {
    this.#values.set(digest, value)
    const oldest = this.#values.size > longestList ? this.#values.keys().next().value : undefined
    if (oldest !== undefined) this.#values.delete(oldest)
  }
}
