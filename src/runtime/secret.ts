import type { Environment } from './run-process.ts'

/** The text that is shown in place of a secret. */
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

/**
 * The variable of a `credential_process` with the names of the profiles that have led to it, one in each line, its own last. With it a
 * helper of ours that is started there, directly or through a script, can name the cycle.
 */
export const credentialProcessVariable = 'GATEPASS_CREDENTIAL_PROCESS_OF'

/** A part of that helper's message, by which the helper that started it recognizes the cycle, whatever script lies between. */
export const cycleNotice = 'is a credential helper, which would ask that profile again'

/** The profiles whose running `credential_process` has led to this program, the first one first. */
export function listAskedProfiles(env: Environment): string[] {
  return (env[credentialProcessVariable] ?? '').split('\n').filter((name) => name !== '')
}
