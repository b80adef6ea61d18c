import type { Deadline } from '../../runtime/deadline.ts'
import type { Secret } from '../../runtime/secret.ts'

/** The name of one secret in a keychain. No part of it is a secret: the keychain's own tools show it to people. */
export interface KeychainItem {
  /** What keeps it, such as a helper's name: with the account, the item's name. */
  readonly service: string
  /** Which one of those, such as the name of a workspace. */
  readonly account: string
  /** The same for people, such as `Gatepass: API key for default`. */
  readonly label: string
}

/** The operating system's store for long-lived secrets of this user. */
export interface Keychain {
  /** What it is, as messages name it, such as `the Secret Service`. */
  readonly title: string
  /**
   * Reads a secret; `undefined` where there is none.
   * @throws {HelperError} with a message of its own for each of: locked, absent, headless, hung, refused; `late`.
   */
  read(item: KeychainItem, deadline: Deadline): Promise<Secret | undefined>
  /** Keeps a secret, in place of one of the same name. @throws {HelperError} as {@link read} does. */
  write(item: KeychainItem, secret: Secret, deadline: Deadline): Promise<void>
  /** Removes a secret. @returns whether there was one. @throws {HelperError} as {@link read} does. */
  remove(item: KeychainItem, deadline: Deadline): Promise<boolean>
}

/** `never`, as in every silent context: no dialog is shown, no service started, and nobody waited for. */
export type KeychainPrompt = 'allowed' | 'never'
