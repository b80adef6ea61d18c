import type { KeychainPrompt } from '../../../keychain/keychain.ts'
import type { KeychainHost } from '../../../keychain/keychain-host.ts'
import type { SealingKey } from '../../../keychain/sealing/sealing-key.ts'
import { describeProvider } from '../../oidc/describe-provider.ts'
import type { OidcSettings } from '../../oidc/settings.ts'
import { createFileKey } from './file-key.ts'
import type { KeyName } from './sealed-place.ts'
import type { StoreFiles } from './store-files.ts'

/** What a key is opened with. */
export interface KeyParts {
  readonly host: KeychainHost
  readonly files: StoreFiles
  /** Whether the keychain may ask a person. */
  readonly prompt: KeychainPrompt
}

/** Opens the key of a sealed sign-in. The keychain's part is loaded where it is used, and nothing is asked before. */
export async function openKey(name: KeyName, settings: OidcSettings, parts: KeyParts): Promise<SealingKey> {
  const { host, files, prompt } = parts
  if (name === 'file') return createFileKey(files)
  const [{ openKeychain }, { createKeychainKey }] = await Promise.all([
    import('../../../keychain/platform/open-keychain.ts'),
    import('../../../keychain/sealing/keychain-key.ts'),
  ])
  const otherwise = 'set refresh-token-store to file and sign in again'
  const label = `Gatepass: key of the sign-in to ${describeProvider(settings)}`
  return createKeychainKey(await openKeychain(host, prompt, otherwise), {
    service: 'sign-in',
    account: files.name,
    label,
  })
}
