import type { Host } from '../../../runtime/host.ts'
import type { KeychainPrompt } from '../../keychain/keychain.ts'
import { openKeychain } from '../../keychain/platform/open-keychain.ts'
import { type KeyPlace, renderPlaceOptions } from '../key/key-place.ts'
import { createFileStore } from './file-store.ts'
import type { KeyStore } from './key-store.ts'
import { createKeychainStore } from './keychain-store.ts'
import { createVariableStore } from './variable-store.ts'

/** What a store is opened with. */
interface StoreParts {
  readonly host: Host
  readonly program: string
  readonly prompt: KeychainPrompt
}

/** Opens the place where a key is. Nothing is asked before it is used. Loaded on use: a plan only names the place. */
export async function openKeyStore(place: KeyPlace, { host, program, prompt }: StoreParts): Promise<KeyStore> {
  const command = `${program} store${renderPlaceOptions(place)}`
  if (place.kind === 'variable') return createVariableStore(place.name, host.env)
  if (place.kind === 'file') return createFileStore(place.path, { command, host })
  const keychain = await openKeychain(host, prompt, 'name a file that holds the key with key-file')
  return createKeychainStore(keychain, place.item, command)
}
