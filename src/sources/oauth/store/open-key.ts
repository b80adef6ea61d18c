import type { KeyObject } from 'node:crypto'
import { parseObject } from '../../../runtime/values/json-value.ts'
import type { KeychainHost, KeychainPrompt } from '../../keychain/keychain.ts'
import type { SealingKey } from '../../keychain/keychain-key.ts'
import { createSealingKey, decodeSealingKey, encodeSealingKey } from '../../keychain/seal.ts'
import { describeProvider } from '../oidc/describe-provider.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'
import { createStoreDirectory, readStoreFile, removeStoreFiles, writeStoreFile } from './private-files.ts'
import type { KeyName, StoreFiles } from './sealed-location.ts'

/** Opens the key of an encrypted sign-in. The keychain's code is loaded only if it is used, and no dialog appears before that. */
export async function openKey(name: KeyName, settings: OidcSettings, parts: SealingKeyParts): Promise<SealingKey> {
  const { host, files, prompt } = parts
  if (name === 'file') return createFileKey(files)
  const [{ openKeychain }, { createKeychainKey }] = await Promise.all([
    import('../../keychain/open-keychain.ts'),
    import('../../keychain/keychain-key.ts'),
  ])
  const otherwise = 'set refresh-token-store to file and sign in again'
  const label = `Gatepass: key of the sign-in to ${describeProvider(settings)}`
  return createKeychainKey(await openKeychain(host, prompt, otherwise), {
    service: 'sign-in',
    account: files.name,
    label,
  })
}

/** The store whose key is opened, and whether the keychain may ask a person. */
interface SealingKeyParts {
  readonly host: KeychainHost
  readonly files: StoreFiles
  /** See `KeychainPrompt`. */
  readonly prompt: KeychainPrompt
}

/** Creates a key in a separate file, which only this user can read. It protects a copy of the encrypted file, but not against this user. */
function createFileKey({ keyDirectory: directory, key: path, keyDraft: draft }: KeyFiles): SealingKey {
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
