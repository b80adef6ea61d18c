import type { Foreign } from '../../../runtime/foreign-functions.ts'
import type { SystemFailure } from './child-messages.ts'

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

/** Calls functions of Windows, and reads their failure with `GetLastError`. */
export interface WindowsCaller {
  /** @returns `undefined` if the function succeeded. */
  attempt(name: string, call: () => number): SystemFailure | undefined
}

/** A code of an application (bit 29 of `winerror.h`), which no function of Windows sets. */
const unset = 0x2000_0001

const maxAttempts = 5

function isLost(code: number): boolean {
  return code === unset || code === 0
}
