import { expect, test } from 'vitest'
import { findKeyringProcess, startGnomeKeyring } from '../../../stand-ins/keyring/keyrings.ts'
import { startDisplay, startSession } from '../../../stand-ins/keyring/start-session.ts'
import { useKeychain } from './use-keychain.ts'

const unlock = 'unlock it in the program that manages your passwords, or keep it in a file'
const locked = {
  kind: 'unavailable',
  message: 'the keyring is locked',
  hint: `start a new session of the client, which asks for its password, or ${unlock}`,
}
const bus = 'org.freedesktop.DBus'

test('an unlocked keyring keeps, replaces, gives and removes a secret of 64 KiB', async () => {
  const { env } = await startGnomeKeyring('unlocked')
  const long = 'x'.repeat(65_536)
  const steps = ['read', 'write hunter2', `write ${long}`, 'read', 'remove', 'remove', 'read'] as const
  expect(await useKeychain(env, steps)).toEqual([undefined, undefined, undefined, long, true, false, undefined])
})

test('a locked keyring says so at once without a dialog', async () => {
  const { env, call } = await startGnomeKeyring('locked', { env: { DISPLAY: ':99' } })
  const begin = Date.now()
  const answers = await useKeychain(env, ['read', 'write hunter2', 'remove'])
  const isAtOnce = Date.now() - begin < 2_000
  const prompter = 'string:org.gnome.keyring.SystemPrompter'
  const dialog = await call(bus, '/org/freedesktop/DBus', `${bus}.NameHasOwner`, prompter)
  expect({ answers, isAtOnce, dialog }).toEqual({
    answers: [locked, locked, locked],
    isAtOnce: true,
    dialog: 'boolean false',
  })
})

test('a missing keyring is started only where a person may be asked', async () => {
  const { env, call } = await startSession({ installed: true })
  const askOwner = () => call(bus, '/org/freedesktop/DBus', `${bus}.NameHasOwner`, 'string:org.freedesktop.secrets')
  const absent = {
    kind: 'unavailable',
    message: 'no Secret Service is running in this session',
    hint: 'start a new session of the client, which starts it, or keep it in a file',
  }
  const missing = {
    kind: 'not-configured',
    message: 'the Secret Service has no default keyring',
    hint: 'start a new session of the client at a desktop, which offers to make one, or keep it in a file',
  }
  expect([await useKeychain(env, ['read']), await askOwner()]).toEqual([[absent], 'boolean false'])
  expect([await useKeychain(env, ['read'], { prompt: 'allowed' }), await askOwner()]).toEqual([
    [missing],
    'boolean true',
  ])
})

test('a stopped keyring is waited for 5 s, and the message names its process', async () => {
  const session = await startGnomeKeyring('unlocked')
  const keyring = await findKeyringProcess(session)
  process.kill(keyring, 'SIGSTOP')
  const begin = Date.now()
  expect(await useKeychain(session.env, ['read'])).toEqual([
    {
      kind: 'unavailable',
      message: `the Secret Service did not answer within 5 s (process ${keyring})`,
      hint: 'end it, or sign out of the desktop and in again, or keep it in a file',
    },
  ])
  expect(Date.now() - begin).toBeLessThan(7_000)
})

test('a person unlocks the keyring in its own dialog, or closes that', async () => {
  const { env: display, answer } = await startDisplay()
  const { env } = await startGnomeKeyring('locked', { env: display })
  const allowed = { prompt: 'allowed' } as const
  const closed = {
    kind: 'refused',
    message: 'the keyring was not opened, because its dialog was closed',
    hint: `start a new session of the client and answer its dialog, or ${unlock}`,
  }
  const [refused] = await Promise.all([useKeychain(env, ['read'], allowed), answer('Escape')])
  const steps = ['write swordfish', 'read'] as const
  const [opened] = await Promise.all([useKeychain(env, steps, allowed), answer('text:hunter2', 'Return')])
  expect({ refused, opened, silent: await useKeychain(env, ['read']) }).toEqual({
    refused: [closed],
    opened: [undefined, 'swordfish'],
    silent: ['swordfish'],
  })
})
