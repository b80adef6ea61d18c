import { createPointers, type Foreign } from '../../../runtime/foreign.ts'
import type { KeychainItem } from '../keychain.ts'
import type { SystemFailure } from './child-messages.ts'

/** Calls functions of Windows, and reads their failure with `GetLastError`. */
export interface WindowsCaller {
  /** @returns `undefined` if the function succeeded. */
  attempt(name: string, call: () => number): SystemFailure | undefined
}

/**
 * Creates a caller of Windows functions. The last error is one number for each thread, and the runtime, which also calls Windows, may set
 * it between our calls. So it is first set to a number that no function uses. If that number or 0 is found afterwards, the call is
 * repeated, which is safe for our calls.
 */
export function createWindowsCaller(ffi: Foreign, kernel32: string): WindowsCaller {
  const { functions } = ffi.dlopen(kernel32, {
    GetLastError: { arguments: [], return: 'u32' },
    SetLastError: { arguments: ['u32'], return: 'void' },
  })
  // Both functions are compiled now, so that compiling them later does not change the last error.
  functions.SetLastError(functions.GetLastError())
  return {
    attempt: (name, call) => {
      let code = unset
      for (let count = 0; count < maxAttempts && isLost(code); count += 1) {
        functions.SetLastError(unset)
        if (call() !== 0) return undefined
        code = functions.GetLastError()
      }
      return { call: name, code: isLost(code) ? 0 : code }
    },
  }
}

/** A code of an application (bit 29 of `winerror.h`), which no function of Windows sets. */
const unset = 0x2000_0001

const maxAttempts = 5

function isLost(code: number): boolean {
  return code === unset || code === 0
}

/** `CRYPTPROTECT_UI_FORBIDDEN` of `dpapi.h`. */
const noInterface = 1

/** Offsets in a `DATA_BLOB` of 64-bit Windows. */
const layout = { size: 0, bytes: 8, length: 16 } as const

/** Seals bytes for this user of this machine, each for one item. */
export interface DataProtection {
  protect(item: KeychainItem, secret: Buffer): SystemFailure | Buffer
  unprotect(item: KeychainItem, sealed: Buffer): SystemFailure | Buffer
}

/** The Data Protection API, through crypt32. */
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
