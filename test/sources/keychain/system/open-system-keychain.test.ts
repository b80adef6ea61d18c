import { expect, test } from 'vitest'
import { openSystemKeychain } from '../../../../src/sources/keychain/system/open-system-keychain.ts'
import { testHost } from '../../../setup/test-host.ts'

test.each([
  ['darwin', 'the macOS keychain'],
  ['win32', 'the Windows Credential Manager'],
] as const)('on %s the keychain is %s, which starts nothing before it is asked', async (platform, title) => {
  const keychain = await openSystemKeychain(await testHost({ platform }), 'never', 'keep it in a file')
  expect(keychain.title).toBe(title)
})
