import { expect, test } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import type { HelperError } from '../../../../src/runtime/failure.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import type { KeychainPrompt } from '../../../../src/sources/keychain/keychain.ts'
import { createMacosKeychain } from '../../../../src/sources/keychain/system/open-system-keychain.ts'
import { type StandInKeychain, startStandInKeychain } from '../../../stand-ins/keychain/system-keychain.ts'

const item = { service: 'api-key', account: 'größe', label: 'Gatepass: API key for größe' }

const deadline = () => {
  const begin = performance.now()
  return new Deadline({ seconds: 20, hint: 'start again' }, { elapsedMs: () => performance.now() - begin })
}

const open = ({ child }: StandInKeychain, prompt: KeychainPrompt = 'never') =>
  createMacosKeychain({ child, prompt, otherwise: 'keep it in a file' })

/** Reads the result of a read, or its failure. */
const read = async (standIn: StandInKeychain, prompt?: KeychainPrompt) => {
  try {
    return (await open(standIn, prompt).read(item, deadline()))?.reveal()
  } catch (error) {
    const { kind, message, hint } = error as HelperError
    return [kind, message, hint]
  }
}

test('writes, reads, replaces and removes a secret of any bytes', async () => {
  const standIn = await startStandInKeychain('darwin')
  const keychain = open(standIn)
  expect(await keychain.read(item, deadline())).toBeUndefined()
  for (const secret of ['one', 'zwei ß € 🔑 \0 "\\', 'x'.repeat(20_000), '']) {
    await keychain.write(item, new Secret(secret), deadline())
    expect((await keychain.read(item, deadline()))?.reveal()).toBe(secret)
  }
  const toHex = (text: string) => Buffer.from(text).toString('hex')
  expect(await standIn.list()).toEqual([`item ${toHex('gatepass api-key')}-${toHex('größe')}`])
  expect(await keychain.read({ ...item, account: 'other' }, deadline())).toBeUndefined()
  const remove = () => keychain.remove(item, deadline())
  expect([await remove(), await remove(), await keychain.read(item, deadline())]).toEqual([true, false, undefined])
})

test('replaces a secret that another process has added at the same moment', async () => {
  const standIn = await startStandInKeychain('darwin')
  await standIn.behave('raced')
  await open(standIn).write(item, new Secret('mine'), deadline())
  expect(await read(standIn)).toBe('mine')
})

test('shows no dialog in a silent context, and shows one where a person may be asked', async () => {
  const standIn = await startStandInKeychain('darwin')
  await open(standIn).write(item, new Secret('kept'), deadline())

  await standIn.behave('locked')
  const unlock = 'unlock it: security unlock-keychain; or keep it in a file'
  const locked = ['unavailable', 'the macOS keychain is locked (SecItemCopyMatching: -25308)', unlock]
  expect(await read(standIn)).toEqual(locked)
  expect(await standIn.list()).toEqual(['item 6761746570617373206170692d6b6579-6772c3b6c39f65', 'locked'])
  expect(await read(standIn, 'allowed')).toBe('kept')
  expect(await standIn.list()).toEqual(['dialog', 'item 6761746570617373206170692d6b6579-6772c3b6c39f65'])

  await standIn.behave('foreign')
  expect(await read(standIn)).toEqual([
    'refused',
    'the macOS keychain keeps this item for another program, or for another build of this one (SecItemCopyMatching: -25293)',
    'start this in a terminal and choose "Always Allow"; or keep it in a file',
  ])
  await standIn.behave('declined')
  expect(await read(standIn, 'allowed')).toEqual([
    'refused',
    'the dialog of the macOS keychain was declined (SecItemCopyMatching: -128)',
    'start again and allow it; or keep it in a file',
  ])
})

test('distinguishes a locked keychain over SSH, and a user who has none, from others', async () => {
  const standIn = await startStandInKeychain('darwin')
  await open(standIn).write(item, new Secret('kept'), deadline())
  await standIn.behave('locked')
  await standIn.behave('headless')
  expect(await read(standIn)).toEqual([
    'unavailable',
    'the macOS keychain is locked, and this session has no desktop on which it could ask for its password (SecItemCopyMatching: -25308)',
    'unlock it in this session: security unlock-keychain; or keep it in a file',
  ])
  await standIn.behave('missing')
  expect(await read(standIn)).toEqual([
    'not-configured',
    'this user has no macOS keychain (SecItemCopyMatching: -25307)',
    'sign in once to the desktop of the Mac as this user, which creates one; see it with: security default-keychain; or keep it in a file',
  ])
})

test('answers only a process of the same code', async () => {
  const standIn = await startStandInKeychain('darwin')
  await open(standIn).write(item, new Secret('kept'), deadline())
  const stranger = [
    'refused',
    'the process that asks the macOS keychain was not started by this program',
    'start it as a program of its own, and not in place of another; or keep it in a file',
  ]
  const { command, env } = standIn.child
  // The shell stays, so that it is the parent.
  const script = `"$0" "$@"; exit $?`
  const args = ['-c', script, command.program, ...command.args]
  const throughShell = { ...standIn, child: { command: { program: '/bin/sh', args, argv0: 'sh' }, env } }
  expect(await read(throughShell)).toEqual(stranger)
  await standIn.behave('unsigned') // then it goes by the path
  expect(await read(throughShell)).toEqual(stranger)
  expect(await read(standIn)).toBe('kept')

  await standIn.behave('parent now', 9)
  expect(await read(standIn)).toEqual(stranger)
  await standIn.behave('parent then') // as an older macOS, which does not know
  expect(await read(standIn)).toBe('kept')
})
