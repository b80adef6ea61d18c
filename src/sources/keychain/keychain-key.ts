import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { Secret } from '../../runtime/secret.ts'
import type { Keychain, KeychainItem } from './keychain.ts'
import type { SealingKey } from './sealing-key.ts'

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
