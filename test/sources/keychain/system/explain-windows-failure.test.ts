import { expect, test } from 'vitest'
import { explainWindowsFailure } from '../../../../src/sources/keychain/system/create-windows-keychain.ts'

const explain = (call: string, code: number) => {
  const { kind, message, hint } = explainWindowsFailure(
    { call, code },
    { prompt: 'never', otherwise: 'keep it in a file' },
  )
  return [kind, message, hint]
}

const elsewhere =
  'sign in to the desktop of this machine, or over SSH with the password, and start this there; or keep it in a file'

test.each<[call: string, code: number, expected: readonly [string, string, string]]>([
  [
    'CredReadW',
    5,
    [
      'refused',
      'Windows refused access to the Credential Manager (CredReadW: 5)',
      'ask whoever manages this machine to allow it; or keep it in a file',
    ],
  ],
  [
    'CredWriteW',
    1783,
    [
      'not-configured',
      'the secret is longer than the 2560 bytes that the Credential Manager takes (CredWriteW: 1783)',
      'check that it is the secret and nothing else; or keep it in a file',
    ],
  ],
  [
    'CredWriteW',
    1058,
    [
      'not-configured',
      'the Credential Manager is switched off (CredWriteW: 1058)',
      'switch its service on: sc config VaultSvc start= demand; or keep it in a file',
    ],
  ],
  [
    'CryptProtectData',
    2,
    [
      'unavailable',
      'the Data Protection API of Windows stores nothing for this session, such as a session over SSH with a key, or a service (CryptProtectData: 2)',
      elsewhere,
    ],
  ],
  [
    'CryptProtectData',
    0x80090345,
    [
      'unavailable',
      'the Data Protection API of Windows stores nothing for this session, such as a session over SSH with a key, or a service (CryptProtectData: 0x80090345)',
      elsewhere,
    ],
  ],
  [
    'CryptUnprotectData',
    0x8009000b,
    [
      'not-configured',
      'the secret that a session without Credential Manager stored cannot be opened: it is damaged, or belongs to another user (CryptUnprotectData: 0x8009000b)',
      'store the secret again; or keep it in a file',
    ],
  ],
  [
    'CredReadW',
    1722,
    [
      'unavailable',
      'the Windows Credential Manager failed (CredReadW: 1722)',
      'see what the code means: net helpmsg 1722; or keep it in a file',
    ],
  ],
  [
    'CryptUnprotectData',
    0x80070057,
    [
      'unavailable',
      'the Data Protection API of Windows failed (CryptUnprotectData: 0x80070057)',
      'see what the code means: certutil -error 0x80070057; or keep it in a file',
    ],
  ],
])('explains %s with %i and says what to do', (call, code, expected) => {
  expect(explain(call, code)).toEqual(expected)
})
