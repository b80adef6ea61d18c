import { Secret } from '../../../runtime/secret.ts'
import { BusError } from '../dbus/bus-error.ts'
import type { BusValue } from '../dbus/bus-types.ts'
import type { KeychainItem } from '../keychain.ts'
import { createKeyring, findKeyring } from './find-keyring.ts'
import { interfaces, servicePath } from './names.ts'
import { type SecretService, sendCall } from './send-call.ts'
import { requireUnlocked, waitForPerson } from './unlock.ts'

/** Reads an item's secret; `undefined` where there is no such item. @throws {HelperError} or `BusError`. */
export async function readSecret(service: SecretService, item: KeychainItem): Promise<Secret | undefined> {
  const keyring = await findKeyring(service)
  const [path] = keyring === undefined ? [] : await findItems(service, keyring, item)
  if (path === undefined) return undefined
  const session = await openSession(service)
  const value = await readValue(service, path, session)
  return new Secret(value.toString('utf8'))
}

/** Keeps a secret in place of the one before. @throws {HelperError} or `BusError`. */
export async function writeSecret(service: SecretService, item: KeychainItem, secret: Secret): Promise<void> {
  const keyring = (await findKeyring(service)) ?? (await createKeyring(service))
  const session = await openSession(service)
  const properties: BusValue = [
    [`${interfaces.item}.Label`, { signature: 's', value: item.label }],
    [`${interfaces.item}.Attributes`, { signature: 'a{ss}', value: toAttributes(item) }],
  ]
  const value = [session, Buffer.alloc(0), Buffer.from(secret.reveal()), 'text/plain']
  const [, prompt] = await sendCall(service, {
    ...{ path: keyring, interface: 'collection', member: 'CreateItem', signature: 'a{sv}(oayays)b', answer: 'oo' },
    values: [properties, value, true],
  })
  await waitForPerson(service, prompt as string)
}

/** Removes an item. @returns whether there was one. @throws {HelperError} or `BusError`. */
export async function removeSecret(service: SecretService, item: KeychainItem): Promise<boolean> {
  const keyring = await findKeyring(service)
  const paths = keyring === undefined ? [] : await findItems(service, keyring, item)
  for (const path of paths) {
    const call = { path, interface: 'item', member: 'Delete', signature: '', values: [], answer: 'o' } as const
    const [prompt] = await sendCall(service, call)
    await waitForPerson(service, prompt as string)
  }
  return paths.length > 0
}

/** A session in which secrets pass as they are: whoever could read the bus is this user, who could ask as well. */
async function openSession(service: SecretService): Promise<string> {
  const [, session] = await sendCall(service, {
    ...{ path: servicePath, interface: 'service', member: 'OpenSession', signature: 'sv', answer: 'vo' },
    values: ['plain', { signature: 's', value: '' }],
  })
  return session as string
}

/** The names under which programs that show keyrings list it. */
function toAttributes({ service, account }: KeychainItem): BusValue {
  return [
    ['application', 'gatepass'],
    ['service', service],
    ['account', account],
  ]
}

async function findItems(service: SecretService, keyring: string, item: KeychainItem): Promise<string[]> {
  const [paths] = await sendCall(service, {
    ...{ path: keyring, interface: 'collection', member: 'SearchItems', signature: 'a{ss}', answer: 'ao' },
    values: [toAttributes(item)],
  })
  return paths as string[]
}

/** A keyring may ask for each item, although it is open itself. */
async function readValue(service: SecretService, path: string, session: string): Promise<Buffer> {
  try {
    return await fetchValue(service, path, session)
  } catch (error) {
    if (!(error instanceof BusError) || error.errorName !== 'org.freedesktop.Secret.Error.IsLocked') throw error
    await requireUnlocked(service, path)
    return fetchValue(service, path, session)
  }
}

async function fetchValue(service: SecretService, path: string, session: string): Promise<Buffer> {
  const [secret] = await sendCall(service, {
    ...{ path, interface: 'item', member: 'GetSecret', signature: 'o', answer: '(oayays)' },
    values: [session],
  })
  const [, , value] = secret as [string, Buffer, Buffer, string]
  return value
}
