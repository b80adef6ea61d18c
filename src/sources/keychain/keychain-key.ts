import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Deadline } from '../../runtime/deadline.ts'
import { Secret } from '../../runtime/secret.ts'
import type { Keychain, KeychainItem } from './keychain.ts'

/** A sealing key in the operating system's keychain. What it seals may be of any length; Windows stores at most 2560 bytes. */
export function createKeychainKey(keychain: Keychain, item: KeychainItem): SealingKey {
  return {
    where: `in ${keychain.title} (${item.label})`,
    read: async (deadline) => {
      const text = await keychain.read(item, deadline)
      return text && parseKey(text)
    },
    create: async (deadline) => {
      const bytes = randomBytes(keyBytes)
      await keychain.write(item, new Secret(bytes.toString('base64')), deadline)
      return createSecretKey(bytes)
    },
    forget: async (deadline) => {
      await keychain.remove(item, deadline)
    },
  }
}

const keyBytes = 32

function parseKey(text: Secret): KeyObject | undefined {
  const bytes = Buffer.from(text.reveal(), 'base64')
  return bytes.length === keyBytes ? createSecretKey(bytes) : undefined
}

/** The key of one sealed file: 32 bytes. Only the holder of that file's lock creates and removes it. */
export interface SealingKey {
  /** Its place, as messages name it. */
  readonly where: string
  /**
   * Reads the key; `undefined` if it is missing, or if the stored text is not a key.
   * @throws {HelperError} if it cannot be read, or another user could have written it.
   */
  read(deadline: Deadline): Promise<KeyObject | undefined>
  /** Replaces it with a new key, which is stored before it is used. @throws {HelperError} if it cannot be stored. */
  create(deadline: Deadline): Promise<KeyObject>
  /** Removes it. A text that it has sealed can never be opened again. */
  forget(deadline: Deadline): Promise<void>
}
