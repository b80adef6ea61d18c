// Folder: the keychains of macOS and Windows, asked in a child of our own program that can be ended.

import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { HelperError } from '../../../runtime/failure.ts'
import { locateOwnDirectory } from '../../../runtime/files/private-files.ts'
import { prepareOwnProgram } from '../../../runtime/host.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { Keychain, KeychainHost, KeychainPrompt } from '../keychain.ts'
import { askKeychain, type FailureContext, type FailureWords, type SystemKeychain } from './ask-keychain.ts'
import { keychainChildCommand } from './child-command.ts'
import type { SystemFailure } from './child-messages.ts'
import { createWindowsKeychain } from './create-windows-keychain.ts'

/**
 * Opens the keychain of macOS or Windows.
 * @param otherwise See `openKeychain`.
 * @throws {HelperError} `not-configured` if this Node cannot call the system's libraries.
 */
export async function openSystemKeychain(
  { env, home, platform }: KeychainHost,
  prompt: KeychainPrompt,
  otherwise: string,
): Promise<Keychain> {
  refuseOlderNode(otherwise)
  const command = prepareOwnProgram([keychainChildCommand])
  if (platform === 'darwin') {
    // Security.framework finds the user's keychain by the home directory; Node keeps what Windows needs by itself.
    const child = { command, env: { HOME: home } }
    return createMacosKeychain({ child, prompt, otherwise })
  }
  const directory = join(locateOwnDirectory({ env, home, platform }, 'data'), 'Keychain')
  return createWindowsKeychain({ child: { command, env: {} }, prompt, otherwise, directory })
}

/** Refuses a version of Node without `node:ffi`, on which the bundles also run. */
function refuseOlderNode(otherwise: string): void {
  if (isBuiltin('node:ffi')) return
  throw new HelperError(
    'not-configured',
    "the Node that runs this cannot call the system's keychain (it has no node:ffi)",
    `use the executable, or Node 26.9 or newer; or ${otherwise}`,
  )
}

/** Creates the default keychain of a macOS user, which is the login keychain. */
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

/** Codes of `SecBase.h` that mean that the keychain would have to show a dialog. -25293 was seen for an item of another program. */
const wantsDialog: ReadonlySet<number> = new Set([
  -25308, // errSecInteractionNotAllowed
  -25315, // errSecInteractionRequired
  -25293, // errSecAuthFailed
  -25320, // errSecInDarkWake: the Mac does background work with its lid closed
])

/** errSecNoDefaultKeychain, errSecNoSuchKeychain, errSecNotAvailable */
const noKeychain: ReadonlySet<number> = new Set([-25307, -25294, -25291])

const userCanceled = -128
const missingEntitlement = -34018

/** Explains a failed call of Security.framework to a person. */
export function explainMacosFailure(failure: SystemFailure, context: FailureContext): HelperError {
  const [kind, message, hint] = describe(failure, context)
  return new HelperError(kind, `${message} (${failure.call}: ${failure.code})`, `${hint}; or ${context.otherwise}`)
}

function describe(failure: SystemFailure, { prompt }: FailureContext): FailureWords {
  const { code, keychain } = failure
  if (code === userCanceled)
    return ['refused', 'the dialog of the macOS keychain was declined', 'start again and allow it']
  if (noKeychain.has(code) || keychain === 'missing')
    return [
      'not-configured',
      'this user has no macOS keychain',
      'sign in once to the desktop of the Mac as this user, which creates one; see it with: security default-keychain',
    ]
  if (code === missingEntitlement)
    return [
      'not-configured',
      'macOS lets this program use no keychain',
      'sign the executable without keychain-access-groups among its entitlements',
    ]
  if (wantsDialog.has(code)) return describeDialog(failure, prompt)
  return ['unavailable', 'the macOS keychain failed', `see what the code means: security error ${code}`]
}

function describeDialog({ keychain, session }: SystemFailure, prompt: FailureContext['prompt']): FailureWords {
  if (keychain === 'locked' && session === 'headless')
    return [
      'unavailable',
      'the macOS keychain is locked, and this session has no desktop on which it could ask for its password',
      'unlock it in this session: security unlock-keychain',
    ]
  if (keychain === 'locked')
    return ['unavailable', 'the macOS keychain is locked', 'unlock it: security unlock-keychain']
  if (session === 'headless')
    return [
      'unavailable',
      'the macOS keychain asks before it gives this item to this program, and this session has no desktop on which it could',
      'sign in to the desktop of the Mac, start this in a terminal there and choose "Always Allow"',
    ]
  if (prompt === 'allowed')
    return ['refused', 'the macOS keychain refused this item', 'start again and enter the password of the keychain']
  return [
    'refused',
    'the macOS keychain keeps this item for another program, or for another build of this one',
    'start this in a terminal and choose "Always Allow"',
  ]
}
