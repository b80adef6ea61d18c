import type { Foreign } from '../../../../runtime/foreign/foreign.ts'
import type { KeychainItem } from '../../keychain.ts'
import type { ChildAnswer, ChildRequest } from '../exchange/messages.ts'
import { type CoreFoundation, openCoreFoundation } from './core-foundation.ts'
import type { MacosLibraries } from './macos-libraries.ts'
import { openSecurityFramework } from './security-framework.ts'

/** Codes of `SecBase.h`. */
const success = 0
const itemNotFound = -25300
const duplicateItem = -25299

/** What one call gave. */
interface Outcome {
  readonly call: string
  readonly code: number
}

/** Answers a request out of the default keychain. */
export function answerOnMacos(ffi: Foreign, libraries: MacosLibraries, request: ChildRequest): ChildAnswer {
  const foundation = openCoreFoundation(ffi, libraries.coreFoundation)
  const security = openSecurityFramework(ffi, libraries.security)
  const items = new Items(foundation, security)
  const toAnswer = ({ call, code }: Outcome): ChildAnswer => {
    if (code === success) return { state: 'done' }
    return code === itemNotFound ? { state: 'none' } : { state: 'failed', call, code, ...security.describeState() }
  }
  // For all of this process. What a query can say of it (kSecUseAuthenticationUI) the keychain in a file does not heed: its
  // dialog about who may read an item is shown all the same.
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

/** Generic passwords by service and account. */
class Items {
  readonly #foundation: CoreFoundation
  readonly #security: ReturnType<typeof openSecurityFramework>

  constructor(foundation: CoreFoundation, security: ReturnType<typeof openSecurityFramework>) {
    this.#foundation = foundation
    this.#security = security
  }

  read(item: KeychainItem): Buffer | Outcome {
    const found = Buffer.alloc(8)
    const query = this.#toDictionary(item, {
      kSecReturnData: this.#foundation.yes,
      kSecMatchLimit: this.#security.constant('kSecMatchLimitOne'),
    })
    const code = this.#security.SecItemCopyMatching(query, found)
    return code === success ? this.#foundation.readData(found.readBigUInt64LE()) : { call: 'SecItemCopyMatching', code }
  }

  /** Changes an item that there is, because a new one would forget whom a person has allowed to read it. */
  write(item: KeychainItem, secret: Buffer): Outcome {
    const first = this.#update(item, secret)
    if (first.code !== itemNotFound) return first
    const added = this.#add(item, secret)
    // Another process has added it between the two.
    return added.code === duplicateItem ? this.#update(item, secret) : added
  }

  remove(item: KeychainItem): Outcome {
    return { call: 'SecItemDelete', code: this.#security.SecItemDelete(this.#toDictionary(item)) }
  }

  #update(item: KeychainItem, secret: Buffer): Outcome {
    const changes = this.#foundation.createDictionary([this.#toValue(secret)])
    return { call: 'SecItemUpdate', code: this.#security.SecItemUpdate(this.#toDictionary(item), changes) }
  }

  #add(item: KeychainItem, secret: Buffer): Outcome {
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

/** The name under which Keychain Access shows an item among those of all programs. */
function nameService(service: string): string {
  return `gatepass ${service}`
}
