import { Secret } from '../../../runtime/secret.ts'
import type { KeychainItem } from '../keychain.ts'
import { createStateFailure } from './bus-failures.ts'
import type { BusMessage } from './bus-message.ts'
import { BusError, type BusValue, type Variant } from './bus-types.ts'
import { toBusCall } from './open-bus.ts'
import { interfaces, lockedError, noObject, type SecretService, sendCall, servicePath } from './send-call.ts'

/** Reads an item's secret; `undefined` if the item does not exist. @throws {HelperError} or `BusError`. */
export async function readSecret(service: SecretService, item: KeychainItem): Promise<Secret | undefined> {
  const keyring = await findKeyring(service)
  const [path] = keyring === undefined ? [] : await listItems(service, keyring, item)
  if (path === undefined) return undefined
  const session = await openSession(service)
  const value = await readValue(service, path, session)
  return new Secret(value.toString('utf8'))
}

/** Stores a secret, and replaces the previous one. @throws {HelperError} or `BusError`. */
export async function writeSecret(service: SecretService, item: KeychainItem, secret: Secret): Promise<void> {
  const keyring = (await findKeyring(service)) ?? (await createKeyring(service))
  const session = await openSession(service)
  const properties: BusValue = [
    [`${interfaces.item}.Label`, { signature: 's', value: item.label }],
    [`${interfaces.item}.Attributes`, { signature: 'a{ss}', value: toAttributes(item) }],
  ]
  const value = [session, Buffer.alloc(0), Buffer.from(secret.reveal()), 'text/plain']
  const [, prompt] = await sendCall(service, {
    path: keyring,
    interface: 'collection',
    member: 'CreateItem',
    signature: 'a{sv}(oayays)b',
    answer: 'oo',
    values: [properties, value, true],
  })
  await waitForPerson(service, prompt as string)
}

/** Removes an item. @returns whether there was one. @throws {HelperError} or `BusError`. */
export async function removeSecret(service: SecretService, item: KeychainItem): Promise<boolean> {
  const keyring = await findKeyring(service)
  const paths = keyring === undefined ? [] : await listItems(service, keyring, item)
  for (const path of paths) {
    const call = { path, interface: 'item', member: 'Delete', signature: '', values: [], answer: 'o' } as const
    const [prompt] = await sendCall(service, call)
    await waitForPerson(service, prompt as string)
  }
  return paths.length > 0
}

/** Opens a session without encryption. Only this user can read the bus, and this user could request the secret anyway. */
async function openSession(service: SecretService): Promise<string> {
  const [, session] = await sendCall(service, {
    path: servicePath,
    interface: 'service',
    member: 'OpenSession',
    signature: 'sv',
    answer: 'vo',
    values: ['plain', { signature: 's', value: '' }],
  })
  return session as string
}

/** Derives the attributes of an item, by which programs that show keyrings list it. */
function toAttributes({ service, account }: KeychainItem): BusValue {
  return [
    ['application', 'gatepass'],
    ['service', service],
    ['account', account],
  ]
}

async function listItems(service: SecretService, keyring: string, item: KeychainItem): Promise<string[]> {
  const [paths] = await sendCall(service, {
    path: keyring,
    interface: 'collection',
    member: 'SearchItems',
    signature: 'a{ss}',
    answer: 'ao',
    values: [toAttributes(item)],
  })
  return paths as string[]
}

/** Reads an item's secret. A keyring may ask a person for each item even if the keyring itself is unlocked. */
async function readValue(service: SecretService, path: string, session: string): Promise<Buffer> {
  try {
    return await fetchValue(service, path, session)
  } catch (error) {
    if (!(error instanceof BusError) || error.errorName !== lockedError) throw error
    await requireUnlocked(service, path)
    return fetchValue(service, path, session)
  }
}

async function fetchValue(service: SecretService, path: string, session: string): Promise<Buffer> {
  const [secret] = await sendCall(service, {
    path,
    interface: 'item',
    member: 'GetSecret',
    signature: 'o',
    answer: '(oayays)',
    values: [session],
  })
  const [, , value] = secret as [string, Buffer, Buffer, string]
  return value
}

/**
 * Finds the default keyring and unlocks it; `undefined` if there is none and a person may be asked to create one.
 * @throws {HelperError} if there is none and nobody may be asked, or if it stays locked; `BusError`.
 */
async function findKeyring(service: SecretService): Promise<string | undefined> {
  const keyring = await findDefault(service)
  if (keyring === undefined) {
    if (service.prompt === 'never' || service.display === 'none') throw createStateFailure('no keyring', service.facts)
    return undefined
  }
  if (await fetchLocked(service, keyring)) await requireUnlocked(service, keyring)
  return keyring
}

/** Asks the person to create the default keyring, with a password. @throws {HelperError} if it is not created; `BusError`. */
async function createKeyring(service: SecretService): Promise<string> {
  const properties = [[`${interfaces.collection}.Label`, { signature: 's', value: 'Default keyring' }]]
  const [, prompt] = await sendCall(service, {
    path: servicePath,
    interface: 'service',
    member: 'CreateCollection',
    signature: 'a{sv}s',
    answer: 'oo',
    values: [properties, 'default'],
  })
  await waitForPerson(service, prompt as string)
  const keyring = await findDefault(service)
  if (keyring === undefined) throw createStateFailure('no keyring', service.facts)
  return keyring
}

async function findDefault(service: SecretService): Promise<string | undefined> {
  const [path] = await sendCall(service, {
    path: servicePath,
    interface: 'service',
    member: 'ReadAlias',
    signature: 's',
    answer: 'o',
    values: ['default'],
  })
  return path === noObject ? undefined : (path as string)
}

/** Fetches whether a keyring is locked (property `Locked`). @throws {BusError} `broken` for another type of value. */
async function fetchLocked(service: SecretService, keyring: string): Promise<boolean> {
  const [property] = await sendCall(service, {
    path: keyring,
    interface: 'properties',
    member: 'Get',
    signature: 'ss',
    answer: 'v',
    values: [interfaces.collection, 'Locked'],
  })
  const { value } = property as Variant
  if (typeof value !== 'boolean') throw new BusError('broken', 'it does not say whether its keyring is locked')
  return value
}

/** Asks the person, if that is allowed, to unlock a keyring or an item. @throws {HelperError} if it stays locked; `BusError`. */
async function requireUnlocked(service: SecretService, path: string): Promise<void> {
  if (service.prompt === 'never') throw createStateFailure('locked', service.facts)
  if (service.display === 'none') throw createStateFailure('locked without a display', service.facts)
  const [unlocked, prompt] = await sendCall(service, {
    path: servicePath,
    interface: 'service',
    member: 'Unlock',
    signature: 'ao',
    answer: 'aoo',
    values: [[path]],
  })
  if (prompt !== noObject) return waitForPerson(service, prompt as string)
  if (!(unlocked as string[]).includes(path)) throw createStateFailure('locked', service.facts)
}

/**
 * Shows the dialog that a service has prepared, and waits for the person.
 * @param prompt The path of the dialog; {@link noObject} if there is none.
 * @throws {HelperError} if nobody may be asked, or the person closes it; `late`; `BusError`.
 */
async function waitForPerson(service: SecretService, prompt: string): Promise<void> {
  if (prompt === noObject) return
  if (service.prompt === 'never' || service.display === 'none')
    throw createStateFailure('needs a person', service.facts)
  if (!/^[\w/]+$/.test(prompt)) throw new BusError('broken', 'it gives a dialog an invalid path')
  const message = await service.deadline.during('keychain', 'the dialog of the keyring', () =>
    waitForPrompt(service, prompt),
  )
  const [isDismissed] = message.decodeValues()
  if (isDismissed !== false) throw createStateFailure('dismissed', service.facts)
}

/** Waits for the dialog. It has no limit except the deadline, because a person types. */
async function waitForPrompt({ bus, owner, limit }: SecretService, path: string): Promise<BusMessage> {
  const completed = bus.waitFor(({ sender, ...signal }) => {
    return sender === owner && signal.path === path && signal.member === 'Completed'
  })
  completed.catch(() => {}) // awaited below, unless something else fails first
  const rule = `type='signal',sender='${owner}',interface='${interfaces.prompt}',member='Completed',path='${path}'`
  await limit(bus.call(toBusCall('AddMatch', 's', [rule])))
  const call = {
    destination: owner,
    path,
    interface: interfaces.prompt,
    member: 'Prompt',
    signature: 's',
    values: [''],
  }
  await Promise.race([completed, bus.call(call)]) // some services answer only when the person has answered
  return completed
}
