import type { Foreign } from '../../../../runtime/foreign/foreign.ts'
import type { SystemFailure } from '../exchange/messages.ts'

/** A code of an application (bit 29 of `winerror.h`), which no function of Windows sets. */
const unset = 0x2000_0001

const mostAttempts = 5

/** Calls functions of Windows that say by `GetLastError` why they failed. */
export interface WindowsCaller {
  /** @returns `undefined` where the function succeeded. */
  attempt(name: string, call: () => number): SystemFailure | undefined
}

/**
 * The last error is one number of the thread, and the runtime, which calls Windows too, may set it between our calls. So it is set
 * to a number that nobody uses, and where that or 0 is found afterwards, the call is repeated: each of ours can be.
 */
export function createWindowsCaller(ffi: Foreign, kernel32: string): WindowsCaller {
  const { functions } = ffi.dlopen(kernel32, {
    GetLastError: { arguments: [], return: 'u32' },
    SetLastError: { arguments: ['u32'], return: 'void' },
  })
  // Compiled before they count.
  functions.SetLastError(functions.GetLastError())
  return {
    attempt: (name, call) => {
      let code = unset
      for (let count = 0; count < mostAttempts && isLost(code); count += 1) {
        functions.SetLastError(unset)
        if (call() !== 0) return undefined
        code = functions.GetLastError()
      }
      return { call: name, code: isLost(code) ? 0 : code }
    },
  }
}

function isLost(code: number): boolean {
  return code === unset || code === 0
}
