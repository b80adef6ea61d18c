import type { Deadline } from '../../../runtime/deadline.ts'
import type { Secret } from '../../../runtime/secret.ts'

/** Where one key is kept. */
export interface KeyStore {
  /** In words, such as `the file /run/key`. */
  readonly where: string
  /** What to do where there is none, or what is there is no key; imperative. */
  readonly hint: string
  /** The text that is kept; `undefined` where there is none. @throws {HelperError} where it cannot be read, or is not safe there. */
  read(deadline: Deadline): Promise<Secret | undefined>
  /** Fails where no key can be kept, before a person is asked for one. @throws {HelperError} */
  prepare(deadline: Deadline): Promise<void>
  /** Keeps a text in place of the one before. @throws {HelperError} */
  write(text: Secret, deadline: Deadline): Promise<void>
  /** @returns whether there was one. @throws {HelperError} */
  remove(deadline: Deadline): Promise<boolean>
}
