// Folder: the operating system's store for long-lived secrets, and sealing a text with a key that it keeps.

import type { Deadline } from '../../runtime/deadline.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'

/** The name of one secret in a keychain. No member is secret, because the keychain's own tools show it to people. */
export interface KeychainItem {
  /** The program that stores it, such as a helper's name. Together with the account it identifies the item. */
  readonly service: string
  /** The name that distinguishes the secrets of one service, such as the name of a workspace. */
  readonly account: string
  /** The name for people, such as `Gatepass: API key for default`. */
  readonly label: string
}

/** The operating system's store for long-lived secrets of this user. */
export interface Keychain {
  /** The keychain's name in messages, such as `the Secret Service`. */
  readonly title: string
  /**
   * Reads a secret; `undefined` if there is none.
   * @throws {HelperError} with a different message for each state: locked, absent, headless, hung, refused; `late`.
   */
  read(item: KeychainItem, deadline: Deadline): Promise<Secret | undefined>
  /** Stores a secret, and replaces a secret with the same name. @throws {HelperError} as {@link read} does. */
  write(item: KeychainItem, secret: Secret, deadline: Deadline): Promise<void>
  /** Removes a secret. @returns whether there was one. @throws {HelperError} as {@link read} does. */
  remove(item: KeychainItem, deadline: Deadline): Promise<boolean>
}

/** Whether the keychain may ask a person. `never`, in every silent context, shows no dialog and starts no service. */
export type KeychainPrompt = 'allowed' | 'never'

/** The part of the host that keychains use. */
export type KeychainHost = Pick<Host, 'argv' | 'clock' | 'env' | 'home' | 'platform'>
