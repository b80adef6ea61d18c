import { Secret } from '../../../../runtime/secret.ts'
import type { Keychain } from '../../keychain.ts'
import { askKeychain, type SystemKeychain } from '../exchange/ask-keychain.ts'
import { explainWindowsFailure } from './explain-windows-failure.ts'
import { locateSealedFile, readSealedFile, removeSealedFile, writeSealedFile } from './sealed-file.ts'

/**
 * The Credential Manager of a user of Windows. A session that has none, such as one over SSH, keeps a secret in a file that the
 * Data Protection API of Windows seals for the user; it is newer than what the Credential Manager keeps, which replaces it.
 * @param settings.directory Where such files are.
 */
export function createWindowsKeychain({
  directory,
  ...settings
}: Pick<SystemKeychain, 'child' | 'prompt' | 'otherwise' | 'longestMs'> & { readonly directory: string }): Keychain {
  const keychain: SystemKeychain = {
    ...settings,
    title: 'the Windows Credential Manager',
    // No call shows a dialog.
    prompt: 'never',
    hungHint: 'see whether this answers: cmdkey /list; if not, sign out of Windows and in again',
    explain: explainWindowsFailure,
  }
  return {
    title: keychain.title,
    read: async (item, deadline) => {
      const sealed = await readSealedFile(locateSealedFile(directory, item), deadline)
      const request = { operation: 'read', item, ...(sealed !== undefined && { sealed }) } as const
      const answer = await askKeychain(keychain, request, deadline)
      return answer.state === 'found' ? new Secret(answer.secret) : undefined
    },
    write: async (item, secret, deadline) => {
      const request = { operation: 'write', item, secret: secret.reveal() } as const
      const answer = await askKeychain(keychain, request, deadline)
      const file = locateSealedFile(directory, item)
      if (answer.state === 'sealed') await writeSealedFile(file, answer.sealed, deadline)
      else await removeSealedFile(file, deadline)
    },
    remove: async (item, deadline) => {
      const wasSealed = await removeSealedFile(locateSealedFile(directory, item), deadline)
      const answer = await askKeychain(keychain, { operation: 'remove', item }, deadline)
      return wasSealed || answer.state === 'done'
    },
  }
}
