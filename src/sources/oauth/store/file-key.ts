import type { KeyObject } from 'node:crypto'
import { parseObject } from '../../../runtime/values/json-value.ts'
import type { SealingKey } from '../../keychain/keychain-key.ts'
import { createSealingKey, decodeSealingKey, encodeSealingKey } from '../../keychain/seal.ts'
import { createStoreDirectory, readStoreFile, removeStoreFiles, writeStoreFile } from './private-files.ts'
import type { StoreFiles } from './sealed-location.ts'

/** Creates a key in a separate file, which only this user can read. It protects a copy of the encrypted file, but not against this user. */
export function createFileKey({ keyDirectory: directory, key: path, keyDraft: draft }: KeyFiles): SealingKey {
  return {
    where: path,
    read: async (deadline) => {
      const text = await readStoreFile({ directory, path }, deadline)
      return text === undefined ? undefined : parseKey(text)
    },
    create: async (deadline) => {
      const value = createSealingKey()
      await createStoreDirectory(directory, deadline)
      await writeStoreFile({ path, draft }, renderKey(value), deadline)
      return value
    },
    forget: (deadline) => removeStoreFiles([draft, path], deadline),
  }
}

type KeyFiles = Pick<StoreFiles, 'keyDirectory' | 'key' | 'keyDraft'>

function parseKey(text: string): KeyObject | undefined {
  const { format, key } = parseObject(text) ?? {}
  return format === 1 && typeof key === 'string' ? decodeSealingKey(key) : undefined
}

function renderKey(value: KeyObject): string {
  return `${JSON.stringify({ format: 1, key: encodeSealingKey(value) })}\n`
}
