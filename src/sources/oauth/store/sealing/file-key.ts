import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { parseObject } from '../../../../runtime/parse-object.ts'
import type { SealingKey } from '../../../keychain/sealing/sealing-key.ts'
import { createStoreDirectory, readStoreFile, removeStoreFiles, writeStoreFile } from './private-files.ts'

const keyBytes = 32

/** Where a key is kept. */
export interface KeyPlace {
  readonly keyDirectory: string
  readonly key: string
  /** The key while it is being written. */
  readonly keyDraft: string
}

/** A key in a file of its own, which only this user can read. It protects a copy of the sealed file, and not from this user. */
export function createFileKey({ keyDirectory: directory, key: path, keyDraft: draft }: KeyPlace): SealingKey {
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

function renderKey(bytes: Buffer): string {
  return `${JSON.stringify({ format: 1, key: bytes.toString('base64') })}\n`
}

function parseKey(text: string): KeyObject | undefined {
  const { format, key } = parseObject(text) ?? {}
  const bytes = format === 1 && typeof key === 'string' ? Buffer.from(key, 'base64') : undefined
  return bytes?.length === keyBytes ? createSecretKey(bytes) : undefined
}
