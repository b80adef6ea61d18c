import type { Foreign } from '../../../../runtime/foreign/foreign.ts'
import type { SystemFailure } from '../exchange/messages.ts'

/** `kSecUnlockStateStatus` of `SecKeychain.h`. */
const unlocked = 1

/** `callerSecuritySession` and `sessionHasGraphicAccess` of `AuthSession.h`. */
const callerSession = 0xffff_ffff
const graphicAccess = 0x10

/** Opens the functions of Security.framework, and its constants, which are texts. */
export function openSecurityFramework(ffi: Foreign, path: string) {
  const { lib, functions } = ffi.dlopen(path, {
    SecItemCopyMatching: { arguments: ['pointer', 'pointer'], return: 'i32' },
    SecItemAdd: { arguments: ['pointer', 'pointer'], return: 'i32' },
    SecItemUpdate: { arguments: ['pointer', 'pointer'], return: 'i32' },
    SecItemDelete: { arguments: ['pointer'], return: 'i32' },
    SecKeychainSetUserInteractionAllowed: { arguments: ['u8'], return: 'i32' },
    SecKeychainGetStatus: { arguments: ['pointer', 'pointer'], return: 'i32' },
    SessionGetInfo: { arguments: ['u32', 'pointer', 'pointer'], return: 'i32' },
  })
  return {
    ...functions,
    constant: (name: string) => ffi.getUint64(lib.getSymbol(name)),
    /** The state of the default keychain, and of the session, neither of which asks anybody. */
    describeState: (): Pick<SystemFailure, 'keychain' | 'session'> => {
      const [state, id, attributes] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.alloc(4)]
      const isKnown = functions.SecKeychainGetStatus(null, state) === 0
      const hasSession = functions.SessionGetInfo(callerSession, id, attributes) === 0
      return {
        keychain: !isKnown ? 'missing' : (state.readUInt32LE() & unlocked) !== 0 ? 'unlocked' : 'locked',
        session: hasSession && (attributes.readUInt32LE() & graphicAccess) !== 0 ? 'desktop' : 'headless',
      }
    },
  }
}
