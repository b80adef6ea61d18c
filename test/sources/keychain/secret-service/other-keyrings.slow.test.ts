import { expect, test } from 'vitest'
import { startKeePassXc, startKWallet } from '../../../stand-ins/keyring/keyrings.ts'
import { useKeychain } from './use-keychain.ts'

const locked = {
  kind: 'unavailable',
  message: 'the keyring is locked',
  hint: 'start a new session of the client, which asks for its password, or unlock it in the program that manages your passwords, or keep it in a file',
}

test('KeePassXC gives a secret in silence, and agrees to each change where a person may be asked', async () => {
  const { env } = await startKeePassXc('unlocked')
  const desktop = { ...env, DISPLAY: ':99' } // it shows no dialog here, and a session without a display asks for none
  const needsPerson = {
    kind: 'unavailable',
    message: 'the keyring wants a person to agree',
    hint: 'start a new session of the client, in which it can ask, or keep it in a file',
  }
  const allowed = { prompt: 'allowed' } as const
  expect([
    await useKeychain(env, ['read', 'write hunter2', 'read']),
    await useKeychain(desktop, ['write hunter2', 'read'], allowed),
    await useKeychain(env, ['read', 'remove']),
    await useKeychain(desktop, ['remove', 'read'], allowed),
  ]).toEqual([
    [undefined, needsPerson, undefined],
    [undefined, 'hunter2'],
    ['hunter2', needsPerson],
    [true, undefined],
  ])
})

test('KeePassXC with a locked database says so', async () => {
  const { env } = await startKeePassXc('locked')
  expect(await useKeychain(env, ['read', 'write hunter2', 'remove'])).toEqual([locked, locked, locked])
})

test('KWallet keeps, gives and removes in silence once somebody has asked for it', async () => {
  const { env } = await startKWallet()
  const before = await useKeychain(env, ['read', 'write hunter2', 'remove'])
  await useKeychain({ ...env, DISPLAY: ':99' }, ['read'], { prompt: 'allowed' })
  const steps = ['write hunter2', 'write swordfish', 'read', 'remove', 'remove', 'read'] as const
  expect([before, await useKeychain(env, steps)]).toEqual([
    [locked, locked, locked],
    [undefined, undefined, 'swordfish', true, false, undefined],
  ])
})
