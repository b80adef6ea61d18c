import { isDeepStrictEqual } from 'node:util'
import type { BusValue, Variant } from '../../../src/sources/keychain/secret-service/bus-types.ts'
import type { ReceivedCall, Sent } from './bus-messages.ts'

/** The state of the service and its one keyring. */
export interface Keyring {
  state: 'unlocked' | 'locked' | 'missing'
  isOwned: boolean
  readonly isActivatable: boolean
  /** The person's answer to a dialog. */
  readonly person: 'agrees' | 'closes it'
  items: { attributes: BusValue; label: BusValue; value: string }[]
}

export const service = ':1.7'
const bus = 'org.freedesktop.DBus'
const keyringPath = '/org/freedesktop/secrets/collection/login'
const promptPath = '/org/freedesktop/secrets/prompt/p1'

type Answer = (call: ReceivedCall) => readonly Sent[]

/** Creates the answers of a bus and a Secret Service that do as the specifications say. */
export function createHonestAnswers(keyring: Keyring): Answer {
  const give = (signature: string, ...values: BusValue[]): Sent[] => [
    { kind: 'return', sender: service, signature, values },
  ]
  const tell = (signature: string, ...values: BusValue[]): Sent[] => [
    { kind: 'return', sender: bus, signature, values },
  ]
  const refuse = (sender: string, errorName: string): Sent[] => [{ kind: 'error', sender, errorName }]
  const indexOf = (path: string) => Number(path.split('/').at(-1))
  const answers: Record<string, Answer> = {
    Hello: () => tell('s', ':1.9'),
    AddMatch: () => tell(''),
    GetConnectionUnixProcessID: () => tell('u', 4711),
    ListActivatableNames: () => tell('as', keyring.isActivatable ? [bus, 'org.freedesktop.secrets'] : [bus]),
    GetNameOwner: () => (keyring.isOwned ? tell('s', service) : refuse(bus, `${bus}.Error.NameHasNoOwner`)),
    StartServiceByName: () => {
      keyring.isOwned = true
      return tell('u', 1)
    },
    OpenSession: () => give('vo', { signature: 's', value: '' }, '/org/freedesktop/secrets/session/s1'),
    ReadAlias: () => give('o', keyring.state === 'missing' ? '/' : keyringPath),
    Get: () => give('v', { signature: 'b', value: keyring.state === 'locked' }),
    Unlock: () => give('aoo', [], promptPath),
    CreateCollection: () => give('oo', '/', promptPath),
    Prompt: () => {
      if (keyring.person === 'agrees') keyring.state = 'unlocked'
      const values = [keyring.person !== 'agrees', { signature: 's', value: '' }]
      const signal = { kind: 'signal', sender: service, path: promptPath, member: 'Completed' } as const
      return [...give(''), { ...signal, signature: 'bv', values }]
    },
    SearchItems: ({ values: [attributes] }) => {
      const found = keyring.items.flatMap((item, index) =>
        isDeepStrictEqual(item.attributes, attributes) ? [`${keyringPath}/${index}`] : [],
      )
      return give('ao', found)
    },
    CreateItem: ({ values }) => {
      const [properties, secret] = values as [[string, Variant][], [string, Buffer, Buffer, string]]
      const [label, attributes] = properties.map(([, { value }]) => value) as [BusValue, BusValue]
      const others = keyring.items.filter((item) => !isDeepStrictEqual(item.attributes, attributes))
      keyring.items = [...others, { attributes, label, value: secret[2].toString() }]
      return give('oo', `${keyringPath}/${keyring.items.length - 1}`, '/')
    },
    GetSecret: ({ path, values: [session] }) => {
      const { value } = keyring.items[indexOf(path)]!
      return give('(oayays)', [session!, Buffer.alloc(0), Buffer.from(value), 'text/plain'])
    },
    Delete: ({ path }) => {
      keyring.items.splice(indexOf(path), 1)
      return give('o', '/')
    },
  }
  return (call) => answers[call.member]?.(call) ?? refuse(service, `${bus}.Error.UnknownMethod`)
}
