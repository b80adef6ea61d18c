import { type FailureKind, HelperError } from '../../../../runtime/failure.ts'
import type { FailureContext } from '../exchange/ask-keychain.ts'
import type { SystemFailure } from '../exchange/messages.ts'

/** Codes of `SecBase.h` that mean the same: the keychain would have to show a dialog. -25293 is seen for an item of another program. */
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

/** A failed call of Security.framework, as a person has to hear of it. */
export function explainMacosFailure(failure: SystemFailure, context: FailureContext): HelperError {
  const [kind, message, hint] = describe(failure, context)
  return new HelperError(kind, `${message} (${failure.call}: ${failure.code})`, `${hint}; or ${context.otherwise}`)
}

type Words = readonly [kind: FailureKind, message: string, hint: string]

function describe(failure: SystemFailure, { prompt }: FailureContext): Words {
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

function describeDialog({ keychain, session }: SystemFailure, prompt: FailureContext['prompt']): Words {
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
