import { HelperError } from '../../../runtime/failure.ts'
import type { Keychain, KeychainPrompt } from '../keychain.ts'
import type { KeychainHost } from '../keychain-host.ts'

/**
 * The keychain of macOS or Windows.
 * @param otherwise See `openKeychain`.
 * @throws {HelperError} `not-configured`: this version has none for these systems.
 */
export async function openSystemKeychain(
  host: KeychainHost,
  _prompt: KeychainPrompt,
  otherwise: string,
): Promise<Keychain> {
  throw new HelperError('not-configured', `this version uses no keychain on ${host.platform}`, otherwise)
}
