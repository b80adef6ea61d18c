import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { parseObject } from '../../../runtime/values/json-value.ts'
import type { SealingKey } from '../../keychain/keychain-key.ts'
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
      const bytes = randomBytes(keyBytes)
      await createStoreDirectory(directory, deadline)
      await writeStoreFile({ path, draft }, renderKey(bytes), deadline)
      return createSecretKey(bytes)
    },
    forget: (deadline) => removeStoreFiles([draft, path], deadline),
  }
}

type KeyFiles = Pick<StoreFiles, 'keyDirectory' | 'key' | 'keyDraft'>

const keyBytes = 32

function parseKey(text: string): KeyObject | undefined {
  const { format, key } = parseObject(text) ?? {}
  const bytes = format === 1 && typeof key === 'string' ? Buffer.from(key, 'base64') : undefined
  return bytes?.length === keyBytes ? createSecretKey(bytes) : undefined
}

function renderKey(bytes: Buffer): string {
  return `${JSON.stringify({ format: 1, key: bytes.toString('base64') })}\n`
}
