import { expect, onTestFinished, test, vi } from 'vitest'
import { service } from '../../../stand-ins/bus/honest-answers.ts'
import { type SecretBusParts, startSecretBus } from '../../../stand-ins/bus/secret-bus.ts'
import { useKeychain } from './use-keychain.ts'

/** Bytes of a message that announces a body of this length, and an answer to the first call. */
const announce = (length: number) => {
  const bytes = Buffer.alloc(16)
  bytes.write('l\x02\x01\x01', 'latin1')
  bytes.writeUInt32LE(length, 4)
  return bytes
}

const give = (signature: string, ...values: never[]) =>
  [{ kind: 'return', sender: service, signature, values }] as const
const refuse = (errorName: string) => [{ kind: 'error', sender: service, errorName }] as const
const signal = { kind: 'signal', sender: ':1.3', path: '/', member: 'Noise', signature: 'ay' } as const

const serviceHint = 'see which program it is: busctl --user status org.freedesktop.secrets, or keep it in a file'
const busHint = 'see where it listens: echo $DBUS_SESSION_BUS_ADDRESS, or keep it in a file'
const broken = (detail: string) => ({
  kind: 'unavailable',
  message: `the Secret Service does not answer as it should (${detail})`,
  hint: serviceHint,
})
const brokenBus = (detail: string) => ({
  kind: 'unavailable',
  message: `the program that listens as the D-Bus of this session does not speak D-Bus (${detail})`,
  hint: busHint,
})
const deniedBus = (detail: string) => ({
  kind: 'refused',
  message: `the D-Bus of this session cannot be used (${detail})`,
  hint: 'run this as the user of that session; see: echo $DBUS_SESSION_BUS_ADDRESS, or keep it in a file',
})

type Lie = NonNullable<NonNullable<SecretBusParts['lies']>[string]>

/** Returns a service that answers with a lie when it is asked for its keyring. */
const lying = (ReadAlias: Lie): SecretBusParts => ({ lies: { ReadAlias } })

const lies: readonly [string, SecretBusParts, unknown][] = [
  ['another type', lying(() => give('u', 7 as never)), broken('it answers ReadAlias with other types')],
  [
    'a lock that is neither open nor closed',
    { lies: { Get: () => give('v', { signature: 's', value: 'no' } as never) } },
    broken('it does not say whether its keyring is locked'),
  ],
  ['a message of 128 MiB', lying(() => [announce(2 ** 27)]), broken('a message is too long')],
  ['a message of 4 GiB', lying(() => [announce(2 ** 32 - 1)]), broken('a message is too long')],
  [
    'endless messages',
    lying(() => Array(10).fill({ ...signal, values: [Buffer.alloc(500_000)] })),
    broken('it sends without end'),
  ],
  ['a message of no version', lying(() => [Buffer.alloc(64)]), broken('a message is of another version of D-Bus')],
  [
    'the end of the connection',
    lying((_, socket) => {
      socket.destroy()
      return []
    }),
    broken('it ended the connection'),
  ],
  [
    'that it is gone',
    lying(() => refuse('org.freedesktop.DBus.Error.NoReply')),
    broken('it answered org.freedesktop.DBus.Error.NoReply'),
  ],
  [
    'a name of an error that is a message',
    lying(() => refuse('see https://evil.example/\u001b[2J')),
    broken('it answered an error without a valid name'),
  ],
  [
    'that it denies access',
    { lies: { SearchItems: () => refuse('org.freedesktop.DBus.Error.AccessDenied') } },
    {
      kind: 'refused',
      message: 'the Secret Service denies access',
      hint: 'allow it in the program that manages your passwords, or keep it in a file',
    },
  ],
  ['no D-Bus', { greeting: 'HTTP/1.1 400 Bad Request\r\n' }, brokenBus('it does not answer as a bus does')],
  ['an endless line', { greeting: 'OK '.repeat(1000) }, brokenBus('it does not answer as a bus does')],
  ['that it does not know this user', { greeting: 'REJECTED EXTERNAL\r\n' }, deniedBus('it does not admit this user')],
  ['the id of another bus', { greeting: 'OK 4567\r\n' }, deniedBus('it is not the one that the address names')],
]

test.each(lies)(
  'a service that answers with %s gives nothing, and the message says why',
  async (_, parts, expected) => {
    const { env } = await startSecretBus(parts)
    expect(await useKeychain(env, ['read'])).toEqual([expected])
  },
)

test('an answer of another program is not taken for the service’s', async () => {
  const forged = { kind: 'return', sender: ':1.666', signature: 'o', values: ['/'] } as const
  const right = { ...forged, sender: service, values: ['/org/freedesktop/secrets/collection/login'] }
  const { env } = await startSecretBus({ lies: { ReadAlias: () => [forged, right] } })
  expect(await useKeychain(env, ['write hunter2', 'read'])).toEqual([undefined, 'hunter2'])
})

test.each([
  [
    'the service',
    'ReadAlias',
    'the Secret Service did not answer within 5 s (process 4711)',
    'end it, or sign out of the desktop and in again',
  ],
  ['the bus', 'Hello', 'the D-Bus of this session did not answer within 5 s', 'sign out of the desktop and in again'],
])('a call waits 5 s and no longer where %s is silent', async (_, member, message, hint) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const silence = () => {
    queueMicrotask(() => vi.advanceTimersByTime(5000))
    return []
  }
  const { env } = await startSecretBus({ lies: { [member]: silence } })
  const begin = Date.now()
  const outcomes = await useKeychain(env, ['read'])
  const failure = { kind: 'unavailable', message, hint: `${hint}, or keep it in a file` }
  expect({ outcomes, waitedMs: Date.now() - begin }).toEqual({ outcomes: [failure], waitedMs: 5000 })
})
