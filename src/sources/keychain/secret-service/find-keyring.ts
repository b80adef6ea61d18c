import { BusError } from '../dbus/bus-error.ts'
import type { Variant } from '../dbus/bus-types.ts'
import { createStateFailure } from './failures.ts'
import { interfaces, noObject, servicePath } from './names.ts'
import { type SecretService, sendCall } from './send-call.ts'
import { requireUnlocked } from './unlock.ts'

/** The default keyring, unlocked. @throws {HelperError} where there is none, or it stays locked; `BusError`. */
export async function findKeyring(service: SecretService): Promise<string> {
  const [path] = await sendCall(service, {
    ...{ path: servicePath, interface: 'service', member: 'ReadAlias', signature: 's', answer: 'o' },
    values: ['default'],
  })
  const keyring = path as string
  if (keyring === noObject) throw createStateFailure('no keyring', service.facts)
  if (await isLocked(service, keyring)) await requireUnlocked(service, keyring)
  return keyring
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
