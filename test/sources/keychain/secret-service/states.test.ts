import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { useFakeTimers } from '../../../setup/fake-timers.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { startSecretBus } from '../../../stand-ins/bus/secret-bus.ts'
import { item, useKeychain } from './use-keychain.ts'

test('a secret is kept, replaced, read and removed, under names that people can find', async () => {
  const { env, state } = await startSecretBus()
  const kept = await useKeychain(env, ['read', 'write hunter2', 'write swordfish', 'read'])
  const items = [...state.items]
  const attributes = [
    ['application', 'gatepass'],
    ['service', item.service],
    ['account', item.account],
  ]
  expect({ kept, items, removed: await useKeychain(env, ['remove', 'remove', 'read']) }).toEqual({
    kept: [undefined, undefined, undefined, 'swordfish'],
    items: [{ attributes, label: item.label, value: 'swordfish' }],
    removed: [true, false, undefined],
  })
})

const unlockHint = 'unlock it in the program that manages your passwords, or keep it in a file'
const locked = {
  kind: 'unavailable',
  message: 'the keyring is locked',
  hint: `start a new session of the client, which asks for its password, or ${unlockHint}`,
}
const findIt = ['Hello', 'GetNameOwner']
const findKeyring = [...findIt, 'ReadAlias']

test.each([
  ['locked', { state: 'locked' }, locked, [...findKeyring, 'Get']],
  [
    'without a keyring',
    { state: 'missing' },
    {
      kind: 'not-configured',
      message: 'the Secret Service has no default keyring',
      hint: 'start a new session of the client at a desktop, which offers to make one, or keep it in a file',
    },
    findKeyring,
  ],
  [
    'not running',
    { isOwned: false },
    {
      kind: 'unavailable',
      message: 'no Secret Service is running in this session',
      hint: 'start a new session of the client, which starts it, or keep it in a file',
    },
    [...findIt, 'ListActivatableNames'],
  ],
  [
    'not installed',
    { isOwned: false, isActivatable: false },
    {
      kind: 'not-configured',
      message: 'no Secret Service is running in this session, and the system knows none that it could start',
      hint: 'start a keyring that offers it (GNOME Keyring, KWallet and KeePassXC do), or keep it in a file',
    },
    [...findIt, 'ListActivatableNames'],
  ],
] as const)(
  'a silent context neither waits for nor starts a service that is %s',
  async (_, keyring, failure, called) => {
    const { env, calls } = await startSecretBus({ keyring })
    expect({ outcome: await useKeychain(env, ['read', 'write hunter2', 'remove']), calls }).toEqual({
      outcome: [failure, failure, failure],
      calls: [...called, ...called, ...called],
    })
  },
)

test('an item that has a lock of its own is not read in silence', async () => {
  const refuse = { kind: 'error', sender: ':1.7', errorName: 'org.freedesktop.Secret.Error.IsLocked' } as const
  const { env, calls } = await startSecretBus({ lies: { GetSecret: () => [refuse] } })
  expect({ outcome: await useKeychain(env, ['write hunter2', 'read']), calls }).toEqual({
    outcome: [undefined, locked],
    calls: [
      'Hello',
      'GetNameOwner',
      'ReadAlias',
      'Get',
      'OpenSession',
      'CreateItem',
      'Hello',
      'GetNameOwner',
      'ReadAlias',
      'Get',
      'SearchItems',
      'OpenSession',
      'GetSecret',
    ],
  })
})

test('the service is started, and its dialogs are waited for, where a person may be asked', async () => {
  const { env, calls } = await startSecretBus({ keyring: { isOwned: false, state: 'missing' } })
  const steps = ['read', 'remove', 'write hunter2', 'read'] as const
  expect(await useKeychain(env, steps, { prompt: 'allowed' })).toEqual([undefined, false, undefined, 'hunter2'])
  expect(calls.filter((call) => /Start|Create|Prompt|Match/.test(call))).toEqual([
    ...['StartServiceByName', 'CreateCollection', 'AddMatch', 'Prompt', 'CreateItem'],
  ])
})

test.each([
  ['agrees', undefined],
  [
    'closes it',
    {
      kind: 'refused',
      message: 'the keyring was not opened, because its dialog was closed',
      hint: `start a new session of the client and answer its dialog, or ${unlockHint}`,
    },
  ],
] as const)('a person who is asked to unlock it %s', async (person, result) => {
  const { env } = await startSecretBus({ keyring: { state: 'locked', person } })
  expect(await useKeychain(env, ['read'], { prompt: 'allowed' })).toEqual([result])
})

test('a dialog is waited for until the deadline, and only the service can end it', async () => {
  const forged = {
    kind: 'signal',
    sender: ':1.666',
    path: '/org/freedesktop/secrets/prompt/p1',
    member: 'Completed',
  } as const
  const values = [false, { signature: 's', value: '' }]
  const { setTimeout: realSetTimeout } = globalThis
  const lies = {
    Prompt: () => {
      realSetTimeout(() => vi.advanceTimersByTime(30_001), 50) // time for the forged end to come
      return [{ ...forged, signature: 'bv', values }]
    },
  }
  useFakeTimers()
  const { env } = await startSecretBus({ keyring: { state: 'locked' }, lies })
  expect(await useKeychain(env, ['read'], { prompt: 'allowed' })).toEqual([
    { kind: 'late', message: 'the dialog of the keyring took longer than the 30 s of this call', hint: 'wait longer' },
  ])
})

test('a session without a display shows no dialog', async () => {
  const { env, calls } = await startSecretBus({ keyring: { state: 'locked' } })
  expect({ outcome: await useKeychain({ ...env, DISPLAY: '' }, ['read'], { prompt: 'allowed' }), calls }).toEqual({
    outcome: [
      {
        kind: 'unavailable',
        message: 'the keyring is locked, and this session has no display on which it could ask for its password',
        hint: unlockHint,
      },
    ],
    calls: ['Hello', 'GetNameOwner', 'ReadAlias', 'Get'],
  })
})

test.each<[what: string, toEnv: (directory: string) => NodeJS.ProcessEnv]>([
  ['none is named', () => ({})],
  ['none listens in the directory of the session', (directory) => ({ XDG_RUNTIME_DIR: directory })],
  ['none listens at the path', (directory) => ({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(directory, 'bus')}` })],
  ['none has the name', () => ({ DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=gatepass-nobody,guid=0123' })],
  ['its address has another form', () => ({ DBUS_SESSION_BUS_ADDRESS: 'tcp:host=localhost,port=1' })],
])('without a bus the message says so where %s', async (_, toEnv) => {
  const absent = {
    kind: 'unavailable',
    message: 'there is no Secret Service here, because this session has no D-Bus',
    hint: 'start the client from a desktop session, or keep it in a file',
  }
  expect(await useKeychain(toEnv(await temporaryDirectory()), ['read'])).toEqual([absent])
})

test('an abstract socket without a guid, at which any user could listen, is given nothing', async () => {
  const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=gatepass-nobody' }
  expect(await useKeychain(env, ['write hunter2'])).toEqual([
    {
      kind: 'refused',
      message:
        'the D-Bus of this session is not used, because its address is an abstract socket without a guid: any user could listen there',
      hint: 'set DBUS_SESSION_BUS_ADDRESS to the whole address that the bus prints when it starts, or keep it in a file',
    },
  ])
})
