import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { HelperError } from '../../../runtime/failure.ts'
import { findOwnProgram } from '../../../runtime/host.ts'
import type { Keychain, KeychainPrompt } from '../keychain.ts'
import type { KeychainHost } from '../keychain-host.ts'
import { keychainChildCommand } from './exchange/child-command.ts'
import { createMacosKeychain } from './macos/create-macos-keychain.ts'
import { createWindowsKeychain } from './windows/create-windows-keychain.ts'

/**
 * The keychain of macOS or Windows.
 * @param otherwise See `openKeychain`.
 * @throws {HelperError} `not-configured` where this Node cannot call the system's libraries.
 */
export async function openSystemKeychain(
  { env, home, platform }: KeychainHost,
  prompt: KeychainPrompt,
  otherwise: string,
): Promise<Keychain> {
  refuseOlderNode(otherwise)
  const command = findOwnProgram([keychainChildCommand])
  if (platform === 'darwin') {
    // Security.framework finds the user's keychain by the home directory; Node keeps what Windows needs by itself.
    const child = { command, env: { HOME: home } }
    return createMacosKeychain({ child, prompt, otherwise })
  }
  const directory = join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'Gatepass', 'Keychain')
  return createWindowsKeychain({ child: { command, env: {} }, prompt, otherwise, directory })
}

/** The bundles run on older ones as well. */
function refuseOlderNode(otherwise: string): void {
  if (isBuiltin('node:ffi')) return
  throw new HelperError(
    'not-configured',
    "the Node that runs this cannot call the system's keychain (it has no node:ffi)",
    `use the executable, or Node 26.9 or newer; or ${otherwise}`,
  )
}
