import type { Keychain, KeychainItem } from '../../keychain/keychain.ts'
import type { KeyStore } from './key-store.ts'

/** A key in the operating system's keychain. */
export function createKeychainStore(keychain: Keychain, item: KeychainItem, command: string): KeyStore {
  return {
    where: `${keychain.title} (${item.label})`,
    hint: `store the key: ${command}`,
    read: (deadline) => keychain.read(item, deadline),
    prepare: async (deadline) => void (await keychain.read(item, deadline)),
    write: (text, deadline) => keychain.write(item, text, deadline),
    remove: (deadline) => keychain.remove(item, deadline),
  }
}
