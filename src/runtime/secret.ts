/** What `inspect.custom` of `node:util` is: registered under this name, so that the module need not be loaded. */
const inspect = Symbol.for('nodejs.util.inspect.custom')

/** A value that refuses to be printed. `reveal()` is the only way out, and a test counts the places that use it. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect](): string {
    return '[secret]'
  }
}
