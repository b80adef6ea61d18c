/** The text that replaces a secret in messages. */
export const secretMark = '[secret]'

/** `inspect.custom` of `node:util`, by its registered name, so that the module need not be loaded. */
const inspect = Symbol.for('nodejs.util.inspect.custom')

/** A value that cannot be printed by accident. Only `reveal()` returns it, and a test counts its uses. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return secretMark
  }

  toJSON(): string {
    return secretMark
  }

  [inspect](): string {
    return secretMark
  }
}

/** A header whose value is a secret. */
export type SecretHeader = readonly [name: string, value: Secret]
