import type { KeychainHost, KeychainPrompt } from '../../keychain/keychain.ts'
import type { SealingKey } from '../../keychain/keychain-key.ts'
import { describeProvider } from '../oidc/describe-provider.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'
import { createFileKey } from './file-key.ts'
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
