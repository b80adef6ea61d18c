import type { KeyObject } from 'node:crypto'
import type { Deadline } from '../../runtime/deadline.ts'
import { Secret } from '../../runtime/secret.ts'
import type { Keychain, KeychainItem } from './keychain.ts'
import { createSealingKey, decodeSealingKey, encodeSealingKey } from './seal.ts'

/**
 * Creates a key in the operating system's keychain, with which a text of any length is encrypted. Windows stores at most 2560 bytes
 * (`CRED_MAX_CREDENTIAL_BLOB_SIZE` of `wincred.h`), so the text itself may not fit.
 */
export function createKeychainKey(keychain: Keychain, item: KeychainItem): SealingKey {
  return {
    where: `in ${keychain.title} (${item.label})`,
    read: async (deadline) => {
      const text = await keychain.read(item, deadline)
      return text && decodeSealingKey(text.reveal())
    },
    create: async (deadline) => {
      const key = createSealingKey()
      await keychain.write(item, new Secret(encodeSealingKey(key)), deadline)
      return key
    },
    forget: async (deadline) => {
      await keychain.remove(item, deadline)
    },
  }
}

/** The key of one encrypted file: 32 bytes. Only the holder of that file's lock creates and removes it. */
export interface SealingKey {
  /** The location of the key, for messages. */
  readonly where: string
  /**
   * Reads the key; `undefined` if it is missing, or if the stored text is not a key.
   * @throws {HelperError} if it cannot be read, or another user could have written it.
   */
  read(deadline: Deadline): Promise<KeyObject | undefined>
  /** Replaces the key with a new one, which is stored before it is used. @throws {HelperError} if it cannot be stored. */
  create(deadline: Deadline): Promise<KeyObject>
  /** Removes the key. A text that it has encrypted can never be opened again. */
  forget(deadline: Deadline): Promise<void>
}
