import { expect, test } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import type { HelperError } from '../../../../src/runtime/failure.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import type { KeychainPrompt } from '../../../../src/sources/keychain/keychain.ts'
import { createMacosKeychain } from '../../../../src/sources/keychain/system/open-system-keychain.ts'
import { type StandInKeychain, startStandInKeychain } from '../../../stand-ins/keychain/system-keychain.ts'

const item = { service: 'api-key', account: 'größe', label: 'Gatepass: API key for größe' }
/** The line of the stand-in about it. */
const listed = `item ${['gatepass api-key', item.account].map((text) => Buffer.from(text).toString('hex')).join('-')}`

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
  const secrets = ['one', 'zwei ß € 🔑 \0 "\\', 'x'.repeat(20_000), '']
  const seen = [await read(standIn)]
  for (const secret of secrets) {
    await keychain.write(item, new Secret(secret), deadline())
    seen.push(await read(standIn))
  }
  const remove = () => keychain.remove(item, deadline())
  expect({
    seen,
    list: await standIn.list(),
    other: await keychain.read({ ...item, account: 'other' }, deadline()),
    removed: [await remove(), await remove(), await read(standIn)],
  }).toEqual({ seen: [undefined, ...secrets], list: [listed], other: undefined, removed: [true, false, undefined] })
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
  expect([
    [await read(standIn), await standIn.list()],
    [await read(standIn, 'allowed'), await standIn.list()],
  ]).toEqual([
    [
      [
        'unavailable',
        'the macOS keychain is locked (SecItemCopyMatching: -25308)',
        'unlock it: security unlock-keychain; or keep it in a file',
      ],
      [listed, 'locked'],
    ],
    ['kept', ['dialog', listed]],
  ])
})

test.each<[prompt: KeychainPrompt, behaviours: Parameters<StandInKeychain['behave']>[0][], failure: string[]]>([
  [
    'never',
    ['foreign'],
    [
      'refused',
      'the macOS keychain keeps this item for another program, or for another build of this one (SecItemCopyMatching: -25293)',
      'start this in a terminal and choose "Always Allow"; or keep it in a file',
    ],
  ],
  [
    'allowed',
    ['foreign', 'declined'],
    [
      'refused',
      'the dialog of the macOS keychain was declined (SecItemCopyMatching: -128)',
      'start again and allow it; or keep it in a file',
    ],
  ],
])('with prompt %s an item of another program is refused, with the way out', async (prompt, behaviours, failure) => {
  const standIn = await startStandInKeychain('darwin')
  await open(standIn).write(item, new Secret('kept'), deadline())
  for (const behaviour of behaviours) await standIn.behave(behaviour)
  expect(await read(standIn, prompt)).toEqual(failure)
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
  const signed = await read(throughShell)
  await standIn.behave('unsigned') // then it goes by the path
  const unsigned = [await read(throughShell), await read(standIn)]
  await standIn.behave('parent now', 9)
  const replaced = await read(standIn)
  await standIn.behave('parent then') // as an older macOS, which does not know
  expect({ signed, unsigned, replaced, older: await read(standIn) }).toEqual({
    signed: stranger,
    unsigned: [stranger, 'kept'],
    replaced: stranger,
    older: 'kept',
  })
})
