import { createPointers, type Foreign } from '../../../runtime/foreign-functions.ts'
import type { KeychainItem } from '../keychain.ts'
import type { SystemFailure } from './child-messages.ts'
import type { WindowsCaller } from './windows-caller.ts'

/** Opens the Data Protection API, through crypt32. */
export function openDataProtection(ffi: Foreign, crypt32: string, { attempt }: WindowsCaller): DataProtection {
  const parameters = ['pointer', 'pointer', 'pointer', 'pointer', 'pointer', 'u32', 'pointer'] as const
  const { functions } = ffi.dlopen(crypt32, {
    CryptProtectData: { arguments: parameters, return: 'i32' },
    CryptUnprotectData: { arguments: parameters, return: 'i32' },
  })
  const pointTo = createPointers(ffi)
  const toBlob = (bytes: Buffer) => {
    const blob = Buffer.alloc(layout.length)
    blob.writeUInt32LE(bytes.length, layout.size)
    blob.writeBigUInt64LE(pointTo(bytes), layout.bytes)
    return blob
  }
  const run = (name: keyof typeof functions, item: KeychainItem, input: Buffer): SystemFailure | Buffer => {
    // Decrypting needs the same purpose, so that no file can replace another one.
    const purpose = Buffer.from(JSON.stringify([item.service, item.account]))
    const [given, mixedIn, made] = [toBlob(input), toBlob(purpose), Buffer.alloc(layout.length)]
    const failure = attempt(name, () => functions[name](given, null, mixedIn, null, null, noInterface, made))
    // The memory is not released, because the process ends after one request.
    return failure ?? ffi.toBuffer(made.readBigUInt64LE(layout.bytes), made.readUInt32LE(layout.size))
  }
  return {
    protect: (item, secret) => run('CryptProtectData', item, secret),
    unprotect: (item, sealed) => run('CryptUnprotectData', item, sealed),
  }
}

/** Seals bytes for this user of this machine, each for one item. */
export interface DataProtection {
  protect(item: KeychainItem, secret: Buffer): SystemFailure | Buffer
  unprotect(item: KeychainItem, sealed: Buffer): SystemFailure | Buffer
}

/** `CRYPTPROTECT_UI_FORBIDDEN` of `dpapi.h`. */
const noInterface = 1

/** Offsets in a `DATA_BLOB` of 64-bit Windows. */
const layout = { size: 0, bytes: 8, length: 16 } as const
