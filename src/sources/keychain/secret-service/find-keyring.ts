import { BusError } from '../dbus/bus-error.ts'
import type { Variant } from '../dbus/bus-types.ts'
import { createStateFailure } from './failures.ts'
import { interfaces, noObject, servicePath } from './names.ts'
import { type SecretService, sendCall } from './send-call.ts'
import { requireUnlocked, waitForPerson } from './unlock.ts'

/**
 * The default keyring, unlocked. `undefined` where there is none and a person may be asked to make one.
 * @throws {HelperError} where there is none otherwise, or it stays locked; `BusError`.
 */
export async function findKeyring(service: SecretService): Promise<string | undefined> {
  const keyring = await findDefault(service)
  if (keyring === undefined) {
    if (service.prompt === 'never' || service.display === 'none') throw createStateFailure('no keyring', service.facts)
    return undefined
  }
  if (await isLocked(service, keyring)) await requireUnlocked(service, keyring)
  return keyring
}

/** Has the person make the default keyring, with a password. @throws {HelperError} where none is made; `BusError`. */
export async function createKeyring(service: SecretService): Promise<string> {
  const properties = [[`${interfaces.collection}.Label`, { signature: 's', value: 'Default keyring' }]]
  const [, prompt] = await sendCall(service, {
    ...{ path: servicePath, interface: 'service', member: 'CreateCollection', signature: 'a{sv}s', answer: 'oo' },
    values: [properties, 'default'],
  })
  await waitForPerson(service, prompt as string)
  const keyring = await findDefault(service)
  if (keyring === undefined) throw createStateFailure('no keyring', service.facts)
  return keyring
}

async function findDefault(service: SecretService): Promise<string | undefined> {
  const [path] = await sendCall(service, {
    ...{ path: servicePath, interface: 'service', member: 'ReadAlias', signature: 's', answer: 'o' },
    values: ['default'],
  })
  return path === noObject ? undefined : (path as string)
}

async function isLocked(service: SecretService, keyring: string): Promise<boolean> {
  const [property] = await sendCall(service, {
    ...{ path: keyring, interface: 'properties', member: 'Get', signature: 'ss', answer: 'v' },
    values: [interfaces.collection, 'Locked'],
  })
  const { value } = property as Variant
  if (typeof value !== 'boolean') throw new BusError('broken', 'it does not say whether its keyring is locked')
  return value
}
