import { createPointers, type Foreign } from '../../../runtime/foreign-functions.ts'
import type { KeychainItem } from '../keychain.ts'
import type { SystemFailure } from './child-messages.ts'
import type { WindowsCaller } from './windows-caller.ts'

/** Credentials of this user. Each function returns its failure or its result. */
export interface WindowsCredentials {
  read(item: KeychainItem): SystemFailure | Buffer
  write(item: KeychainItem, secret: Buffer): SystemFailure | undefined
  remove(item: KeychainItem): SystemFailure | undefined
}

/** Opens the Credential Manager, through advapi32. */
export function openCredentials(ffi: Foreign, advapi32: string, { attempt }: WindowsCaller): WindowsCredentials {
  const { functions } = ffi.dlopen(advapi32, {
    CredReadW: { arguments: ['pointer', 'u32', 'u32', 'pointer'], return: 'i32' },
    CredWriteW: { arguments: ['pointer', 'u32'], return: 'i32' },
    CredDeleteW: { arguments: ['pointer', 'u32', 'u32'], return: 'i32' },
    CredFree: { arguments: ['pointer'], return: 'void' },
  })
  const pointTo = createPointers(ffi)
  return {
    read: (item) => {
      const found = Buffer.alloc(8)
      const target = encodeWide(nameTarget(item))
      const failure = attempt('CredReadW', () => functions.CredReadW(target, generic, 0, found))
      if (failure) return failure
      const credential = found.readBigUInt64LE()
      const size = ffi.getUint32(credential, layout.blobSize)
      const secret = ffi.toBuffer(ffi.getUint64(credential, layout.blob), size)
      functions.CredFree(credential)
      return secret
    },
    write: (item, secret) => {
      const credential = Buffer.alloc(layout.bytes)
      credential.writeUInt32LE(generic, layout.type)
      credential.writeBigUInt64LE(pointTo(encodeWide(nameTarget(item))), layout.target)
      credential.writeBigUInt64LE(pointTo(encodeWide(item.label)), layout.comment)
      credential.writeUInt32LE(secret.length, layout.blobSize)
      credential.writeBigUInt64LE(pointTo(secret), layout.blob)
      credential.writeUInt32LE(localMachine, layout.persist)
      credential.writeBigUInt64LE(pointTo(encodeWide(item.account)), layout.userName)
      return attempt('CredWriteW', () => functions.CredWriteW(credential, 0))
    },
    remove: (item) => {
      const target = encodeWide(nameTarget(item))
      return attempt('CredDeleteW', () => functions.CredDeleteW(target, generic, 0))
    },
  }
}

/** `CRED_TYPE_GENERIC` and `CRED_PERSIST_LOCAL_MACHINE` of `wincred.h`: the credential stays on this machine. */
const [generic, localMachine] = [1, 2]

/** Offsets in a `CREDENTIALW` of 64-bit Windows. */
const layout = {
  type: 4,
  target: 8,
  comment: 16,
  blobSize: 32,
  blob: 40,
  persist: 48,
  userName: 72,
  bytes: 80,
} as const

/** Names an item for the Credential Manager, which shows this name. */
function nameTarget({ service, account }: KeychainItem): string {
  return `gatepass/${service}/${account}`
}

/** Encodes a string for Windows: UTF-16, with a NUL at its end. */
function encodeWide(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'utf16le')
}
