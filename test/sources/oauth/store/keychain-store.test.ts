import { readdir, readFile } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import { failureOf } from '../../../setup/failure-parts.ts'
import { testHost } from '../../../setup/test-host.ts'
import { startSecretBus } from '../../../stand-ins/bus/secret-bus.ts'
import { deadline, keep, startStore, toPlain } from './made-up-sign-in.ts'
import { toSignIn } from './plain-sign-in.ts'

const label = 'Gatepass: key of the sign-in to login.example'
const locked = [
  'unavailable',
  'the keyring is locked',
  'start a new session of the client, which asks for its password, or unlock it in the program that manages your passwords, or set refresh-token-store to file and sign in again',
]

/** Prepares a desktop with a keychain, and stores of one sign-in there. */
async function startDesktop() {
  const bus = await startSecretBus()
  const host = await testHost({ env: bus.env })
  const open = (keyName: 'file' | 'keychain', parts: Parameters<typeof startStore>[0] = {}) =>
    startStore({ host, keyName, ...parts })
  const { files } = await open('file')
  const listKeys = async () => [
    ...(await readdir(files.keyDirectory).catch(() => [])),
    ...bus.state.items.map((item) => item.label),
  ]
  return { bus, files, open, listKeys }
}

test('the key of a sign-in is only in the keychain, until it is forgotten', async () => {
  const { files, open, listKeys } = await startDesktop()
  const { store, warnings } = await open('keychain')
  await store.prepare(deadline)
  await keep(store, toSignIn())
  const kept = [toPlain(await (await open('keychain')).store.read(deadline)), await listKeys()]
  const [head] = (await readFile(files.sealed, 'utf8')).split('\n')
  await keep(store, 'forget')
  expect({ kept, head, forgotten: [await readdir(files.directory), await listKeys()], warnings }).toEqual({
    kept: [toPlain(toSignIn()), [label]],
    head: '{"format":1,"id":"one","key":"keychain"}',
    forgotten: [[`${files.name}.lock`], []],
    warnings: [],
  })
})

test('a change of where the key is kept loses no sign-in, and leaves no key behind', async () => {
  const { open, listKeys } = await startDesktop()
  const key = (await open('file')).files.name
  await keep((await open('file')).store, toSignIn())
  const seen: unknown[] = []
  for (const [keyName, refreshTokens] of [
    ['keychain', 'kept'],
    ['file', 'kept'],
    ['keychain', 'kept'],
    ['file', 'none'],
  ] as const) {
    const { store, warnings } = await open(keyName, { refreshTokens })
    const signIn = toPlain(await store.read(deadline))
    seen.push([signIn?.id, signIn?.tokens.secrets.at(-1), await listKeys(), warnings])
  }
  expect(seen).toEqual([
    ['one', 'refresh-1', [label], []],
    ['one', 'refresh-1', [`${key}.key`], []],
    ['one', 'refresh-1', [label], []],
    ['one', undefined, [`${key}.key`], []],
  ])
})

test('nothing is read, made or lost while the keychain is locked', async () => {
  const { bus, open } = await startDesktop()
  const { store, readId, warnings } = await open('keychain')
  await keep(store, toSignIn())
  bus.state.state = 'locked'
  const make = vi.fn(async () => toSignIn(2))
  const attempts = [store.read(deadline), store.prepare(deadline), store.change(deadline, { make })]
  const failures = await Promise.all(attempts.map(failureOf))
  const id = await readId()
  bus.state.state = 'unlocked'
  expect({ failures, made: make.mock.calls, id, kept: toPlain(await store.read(deadline)), warnings }).toEqual({
    failures: [locked, locked, locked],
    made: [],
    id: 'one',
    kept: toPlain(toSignIn()),
    warnings: [],
  })
})

test('a keychain that is locked in the middle of a renewal loses no refresh token', async () => {
  const { bus, open } = await startDesktop()
  const { store } = await open('keychain')
  await keep(store, toSignIn())
  const make = async () => {
    bus.state.state = 'locked'
    return toSignIn(2)
  }
  await store.change(deadline, { make })
  bus.state.state = 'unlocked'
  expect(toPlain(await store.read(deadline))).toEqual(toPlain(toSignIn(2)))
})

test('a sign-in with its key in a file is used but not renewed while the wanted keychain is locked', async () => {
  const { bus, open, listKeys } = await startDesktop()
  await keep((await open('file')).store, toSignIn())
  bus.state.state = 'locked'
  const { store, warnings, files } = await open('keychain')
  const make = vi.fn(async () => toSignIn(2))
  expect({
    used: toPlain(await store.read(deadline)),
    failure: await failureOf(store.change(deadline, { make })),
    made: make.mock.calls,
    warnings,
    keys: await listKeys(),
  }).toEqual({
    used: toPlain(toSignIn()),
    failure: locked,
    made: [],
    warnings: ['the keyring is locked'],
    keys: [`${files.name}.key`],
  })
})

test('where a file is wanted, a locked keychain keeps nobody from signing in again', async () => {
  const { bus, open, listKeys } = await startDesktop()
  await keep((await open('keychain')).store, toSignIn())
  bus.state.state = 'locked'
  const { store, warnings, files } = await open('file')
  const before = await store.read(deadline)
  await keep(store, toSignIn(2))
  const place = `in the Secret Service (${label})`
  expect({ before, after: toPlain(await store.read(deadline)), warnings, keys: await listKeys() }).toEqual({
    before: undefined,
    after: toPlain(toSignIn(2)),
    warnings: [
      `${files.sealed} cannot be opened, because its key is ${place}, and the keyring is locked: nobody counts as signed in, and the next sign-in replaces it`,
      `the key ${place} could not be removed, but opens nothing any more: the keyring is locked`,
    ],
    keys: [`${files.name}.key`, label],
  })
})

test('without the key of a kept sign-in, a person signs in again', async () => {
  const { bus, open } = await startDesktop()
  await keep((await open('keychain')).store, toSignIn())
  bus.state.items = []
  const { store, warnings, files } = await open('keychain')
  const before = await store.read(deadline)
  await keep(store, toSignIn(2))
  expect({ before, after: toPlain(await store.read(deadline)), warnings }).toEqual({
    before: undefined,
    after: toPlain(toSignIn(2)),
    warnings: [
      `${files.sealed} cannot be opened, because its key in the Secret Service (${label}) is missing or damaged: nobody counts as signed in, and the next sign-in replaces it`,
    ],
  })
})
