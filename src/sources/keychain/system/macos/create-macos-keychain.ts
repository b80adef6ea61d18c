import { Secret } from '../../../../runtime/secret.ts'
import type { Keychain } from '../../keychain.ts'
import { askKeychain, type SystemKeychain } from '../exchange/ask-keychain.ts'
import { explainMacosFailure } from './explain-macos-failure.ts'

/** The default keychain of a user of macOS, which is the login keychain. */
export function createMacosKeychain(
  settings: Pick<SystemKeychain, 'child' | 'prompt' | 'otherwise' | 'longestMs'>,
): Keychain {
  const keychain: SystemKeychain = {
    ...settings,
    title: 'the macOS keychain',
    hungHint: 'see whether this answers: security show-keychain-info; if not, sign in to the Mac anew',
    explain: explainMacosFailure,
  }
  return {
    title: keychain.title,
    read: async (item, deadline) => {
      const answer = await askKeychain(keychain, { operation: 'read', item }, deadline)
      return answer.state === 'found' ? new Secret(answer.secret) : undefined
    },
    write: async (item, secret, deadline) => {
      await askKeychain(keychain, { operation: 'write', item, secret: secret.reveal() }, deadline)
    },
    remove: async (item, deadline) => {
      const answer = await askKeychain(keychain, { operation: 'remove', item }, deadline)
      return answer.state === 'done'
    },
  }
}
