import type { Keychain, KeychainHost, KeychainPrompt } from './keychain.ts'

/**
 * Opens this system's keychain. Only the code for this system is loaded, and no dialog appears until the keychain is used.
 * @param otherwise What a person can do if no keychain can be used, for the end of hints: imperative, such as `set refresh-token-store to
 * file`.
 */
export async function openKeychain(host: KeychainHost, prompt: KeychainPrompt, otherwise: string): Promise<Keychain> {
  if (host.platform === 'darwin' || host.platform === 'win32') {
    const { openSystemKeychain } = await import('./system/open-system-keychain.ts')
    return openSystemKeychain(host, prompt, otherwise)
  }
  const { createLinuxKeychain } = await import('./secret-service/create-linux-keychain.ts')
  return createLinuxKeychain(host, prompt, otherwise)
}
