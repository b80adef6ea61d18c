import { locateWindowsLibraries } from '../../src/runtime/foreign-functions.ts'
import type { KeychainItem } from '../../src/sources/keychain/keychain.ts'
import { createWindowsCaller } from '../../src/sources/keychain/system/windows-caller.ts'
import { openCredentials } from '../../src/sources/keychain/system/windows-credentials.ts'
import { openDataProtection } from '../../src/sources/keychain/system/windows-data-protection.ts'

/** Makes the calls that a session with a Credential Manager does not need, and those that a test repeats, in this process. */
export async function checkSystem(item: KeychainItem): Promise<string[]> {
  const ffi = await import('node:ffi')
  const libraries = locateWindowsLibraries(ffi)
  const caller = createWindowsCaller(ffi, libraries.kernel32)
  const credentials = openCredentials(ffi, libraries.advapi32, caller)
  const { protect, unprotect } = openDataProtection(ffi, libraries.crypt32, caller)
  const codes = new Set<number>()
  for (let count = 0; count < attempts; count += 1) {
    const found = credentials.read({ ...item, account: `missing ${count}` })
    codes.add(Buffer.isBuffer(found) ? 0 : found.code)
  }
  const secret = Buffer.from('zwei ß € 🔑')
  const sealed = protect(item, secret)
  if (!Buffer.isBuffer(sealed)) return [`seal: ${sealed.call} ${sealed.code}`]
  const opened = unprotect(item, sealed)
  const other = unprotect({ ...item, account: 'other' }, sealed)
  return [
    `libraries: ${libraries.advapi32}, ${libraries.crypt32}`,
    `codes of ${attempts} reads of nothing: ${[...codes].join(', ')}`,
    `seal: the text is in it: ${sealed.includes(secret)}`,
    `open: ${Buffer.isBuffer(opened) ? opened.toString() : opened.code}`,
    `open for another item: ${Buffer.isBuffer(other) ? other.toString() : other.code}`,
  ]
}

const attempts = 20_000
