import { expect, test } from 'vitest'
import type { SystemFailure } from '../../../../src/sources/keychain/system/child-messages.ts'
import { explainMacosFailure } from '../../../../src/sources/keychain/system/open-system-keychain.ts'

const explain = (failure: Partial<SystemFailure>, prompt: 'never' | 'allowed' = 'never') => {
  const { kind, message, hint } = explainMacosFailure(
    { call: 'SecItemCopyMatching', code: -25308, keychain: 'unlocked', session: 'desktop', ...failure },
    { prompt, otherwise: 'keep it in a file' },
  )
  return [kind, message, hint]
}

test.each<[what: string, failure: Partial<SystemFailure>, ...expected: [kind: string, message: string, hint: string]]>([
  [
    'locked',
    { keychain: 'locked' },
    'unavailable',
    'the macOS keychain is locked (SecItemCopyMatching: -25308)',
    'unlock it: security unlock-keychain',
  ],
  [
    'locked, over SSH',
    { keychain: 'locked', session: 'headless' },
    'unavailable',
    'the macOS keychain is locked, and this session has no desktop on which it could ask for its password (SecItemCopyMatching: -25308)',
    'unlock it in this session: security unlock-keychain',
  ],
  [
    'unlocked, over SSH, for an item of another program',
    { session: 'headless' },
    'unavailable',
    'the macOS keychain asks before it gives this item to this program, and this session has no desktop on which it could (SecItemCopyMatching: -25308)',
    'sign in to the desktop of the Mac, start this in a terminal there and choose "Always Allow"',
  ],
  [
    'an item of another program, which the keychain refuses with another code',
    { code: -25293 },
    'refused',
    'the macOS keychain keeps this item for another program, or for another build of this one (SecItemCopyMatching: -25293)',
    'start this in a terminal and choose "Always Allow"',
  ],
  [
    'a dialog that was declined',
    { code: -128 },
    'refused',
    'the dialog of the macOS keychain was declined (SecItemCopyMatching: -128)',
    'start again and allow it',
  ],
  [
    'a user without a keychain',
    { code: -25307, keychain: 'missing', session: 'headless' },
    'not-configured',
    'this user has no macOS keychain (SecItemCopyMatching: -25307)',
    'sign in once to the desktop of the Mac as this user, which creates one; see it with: security default-keychain',
  ],
  [
    'an executable that is signed for another keychain',
    { code: -34018 },
    'not-configured',
    'macOS lets this program use no keychain (SecItemCopyMatching: -34018)',
    'sign the executable without keychain-access-groups among its entitlements',
  ],
  [
    'anything else',
    { call: 'SecItemAdd', code: -25292 },
    'unavailable',
    'the macOS keychain failed (SecItemAdd: -25292)',
    'see what the code means: security error -25292',
  ],
])('explains %s and says what to do', (_, failure, kind, message, hint) => {
  expect(explain(failure)).toEqual([kind, message, `${hint}; or keep it in a file`])
})

test('a person who was asked is told to enter the password', () => {
  expect(explain({ code: -25293 }, 'allowed')).toEqual([
    'refused',
    'the macOS keychain refused this item (SecItemCopyMatching: -25293)',
    'start again and enter the password of the keychain; or keep it in a file',
  ])
})
