import { createPointers, type Foreign } from '../../../runtime/foreign-functions.ts'
import type { KeychainItem } from '../keychain.ts'
import type { ChildAnswer, ChildRequest, SystemFailure } from './child-messages.ts'

/** Answers a request from the default keychain. */
export function answerOnMacos(ffi: Foreign, libraries: MacosLibraries, request: ChildRequest): ChildAnswer {
  const foundation = openCoreFoundation(ffi, libraries.coreFoundation)
  const security = openSecurityFramework(ffi, libraries.security)
  const items = new Items(foundation, security)
  const toAnswer = ({ call, code }: SecurityStatus): ChildAnswer => {
    if (code === success) return { state: 'done' }
    return code === itemNotFound ? { state: 'none' } : { state: 'failed', call, code, ...security.observeState() }
  }
  // Applies to the whole process. A file-based keychain ignores the option of a query (kSecUseAuthenticationUI), and shows its dialog about
  // the permission to read an item anyway.
  const code = request.prompt === 'never' ? security.SecKeychainSetUserInteractionAllowed(0) : success
  if (code !== success) return toAnswer({ call: 'SecKeychainSetUserInteractionAllowed', code })
  switch (request.operation) {
    case 'read': {
      const found = items.read(request.item)
      return Buffer.isBuffer(found) ? { state: 'found', secret: found.toString() } : toAnswer(found)
    }
    case 'write':
      return toAnswer(items.write(request.item, Buffer.from(request.secret ?? '')))
    case 'remove':
      return toAnswer(items.remove(request.item))
  }
}

/** Paths of the libraries of macOS that the child calls. */
export interface MacosLibraries {
  readonly coreFoundation: string
  readonly security: string
  readonly system: string
}

/** The paths on every macOS. Most of these libraries are not separate files, but are found by this path anyway. */
export const macosLibraries: MacosLibraries = {
  coreFoundation: '/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation',
  security: '/System/Library/Frameworks/Security.framework/Security',
  system: '/usr/lib/libSystem.B.dylib',
}

interface SecurityStatus {
  readonly call: string
  readonly code: number
}

/** Codes of `SecBase.h`. */
const success = 0
const itemNotFound = -25300

/** Generic passwords by service and account. */
class Items {
  readonly #foundation: CoreFoundation
  readonly #security: ReturnType<typeof openSecurityFramework>

  constructor(foundation: CoreFoundation, security: ReturnType<typeof openSecurityFramework>) {
    this.#foundation = foundation
    this.#security = security
  }

  read(item: KeychainItem): Buffer | SecurityStatus {
    const found = Buffer.alloc(8)
    const query = this.#toDictionary(item, {
      kSecReturnData: this.#foundation.yes,
      kSecMatchLimit: this.#security.constant('kSecMatchLimitOne'),
    })
    const code = this.#security.SecItemCopyMatching(query, found)
    return code === success ? this.#foundation.toBuffer(found.readBigUInt64LE()) : { call: 'SecItemCopyMatching', code }
  }

  /** Updates an existing item. A new item would lose the list of programs that a person has allowed to read it. */
  write(item: KeychainItem, secret: Buffer): SecurityStatus {
    const first = this.#update(item, secret)
    if (first.code !== itemNotFound) return first
    const added = this.#add(item, secret)
    // Another process added it between the two calls.
    return added.code === duplicateItem ? this.#update(item, secret) : added
  }

  remove(item: KeychainItem): SecurityStatus {
    return { call: 'SecItemDelete', code: this.#security.SecItemDelete(this.#toDictionary(item)) }
  }

  #update(item: KeychainItem, secret: Buffer): SecurityStatus {
    const changes = this.#foundation.createDictionary([this.#toValue(secret)])
    return { call: 'SecItemUpdate', code: this.#security.SecItemUpdate(this.#toDictionary(item), changes) }
  }

  #add(item: KeychainItem, secret: Buffer): SecurityStatus {
    const label = this.#foundation.createText(item.label)
    const [, value] = this.#toValue(secret)
    const attributes = this.#toDictionary(item, { kSecAttrLabel: label, kSecValueData: value })
    return { call: 'SecItemAdd', code: this.#security.SecItemAdd(attributes, null) }
  }

  #toValue(secret: Buffer): readonly [key: bigint, value: bigint] {
    return [this.#security.constant('kSecValueData'), this.#foundation.createData(secret)]
  }

  #toDictionary({ service, account }: KeychainItem, more: Readonly<Record<string, bigint>> = {}): bigint {
    const entries = {
      kSecClass: this.#security.constant('kSecClassGenericPassword'),
      kSecAttrService: this.#foundation.createText(nameService(service)),
      kSecAttrAccount: this.#foundation.createText(account),
      ...more,
    }
    const pairs = Object.entries(entries).map(([name, value]) => [this.#security.constant(name), value] as const)
    return this.#foundation.createDictionary(pairs)
  }
}

const duplicateItem = -25299

/** Names an item for Keychain Access, which shows this name. */
function nameService(service: string): string {
  return `gatepass ${service}`
}

/** `kCFStringEncodingUTF8` of `CFString.h`. */
const utf8 = 0x0800_0100

/** Objects of CoreFoundation by their address. They are not released, because the process ends after one request. */
interface CoreFoundation {
  readonly yes: bigint
  createText(text: string): bigint
  createData(bytes: Buffer): bigint
  createDictionary(pairs: readonly (readonly [key: bigint, value: bigint])[]): bigint
  toBuffer(data: bigint): Buffer
}

/** Opens the library for strings, bytes and dictionaries of macOS. */
function openCoreFoundation(ffi: Foreign, path: string): CoreFoundation {
  const { lib, functions } = ffi.dlopen(path, {
    CFStringCreateWithBytes: { arguments: ['pointer', 'pointer', 'i64', 'u32', 'u8'], return: 'pointer' },
    CFDataCreate: { arguments: ['pointer', 'pointer', 'i64'], return: 'pointer' },
    CFDictionaryCreate: {
      arguments: ['pointer', 'pointer', 'pointer', 'i64', 'pointer', 'pointer'],
      return: 'pointer',
    },
    CFDataGetLength: { arguments: ['pointer'], return: 'i64' },
    CFDataGetBytePtr: { arguments: ['pointer'], return: 'pointer' },
  })
  const [keyCalls, valueCalls] = ['kCFTypeDictionaryKeyCallBacks', 'kCFTypeDictionaryValueCallBacks'].map((name) =>
    lib.getSymbol(name),
  )
  const pointTo = createPointers(ffi)
  // An empty buffer has no address.
  const toBytes = (bytes: Buffer) => (bytes.length === 0 ? null : pointTo(bytes))
  return {
    yes: ffi.getUint64(lib.getSymbol('kCFBooleanTrue')),
    createText: (text) => {
      const bytes = Buffer.from(text)
      return functions.CFStringCreateWithBytes(null, toBytes(bytes), BigInt(bytes.length), utf8, 0)
    },
    createData: (bytes) => functions.CFDataCreate(null, toBytes(bytes), BigInt(bytes.length)),
    createDictionary: (pairs) => {
      const [keys, values] = [0, 1].map((index) => pointTo(BigUint64Array.from(pairs, (pair) => pair[index]!)))
      return functions.CFDictionaryCreate(null, keys!, values!, BigInt(pairs.length), keyCalls!, valueCalls!)
    },
    toBuffer: (data) => ffi.toBuffer(functions.CFDataGetBytePtr(data), Number(functions.CFDataGetLength(data))),
  }
}

/** `kSecUnlockStateStatus` of `SecKeychain.h`. */
const unlocked = 1

/** `callerSecuritySession` and `sessionHasGraphicAccess` of `AuthSession.h`. */
const callerSession = 0xffff_ffff
const graphicAccess = 0x10

/** Opens the functions of Security.framework, and its constants, which are strings. */
function openSecurityFramework(ffi: Foreign, path: string) {
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
    /** Returns the state of the default keychain and of the session. Reading it asks nobody. */
    observeState: (): Pick<SystemFailure, 'keychain' | 'session'> => {
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
