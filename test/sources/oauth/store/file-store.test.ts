import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import type { StoreFiles } from '../../../../src/sources/oauth/store/sealed-location.ts'
import { failureOf } from '../../../setup/failure-parts.ts'
import { useFakeTimers } from '../../../setup/fake-timers.ts'
import { makeForeign } from '../../../setup/foreign-file.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { testHost } from '../../../setup/test-host.ts'
import { deadline, keep, startStore, toPlain } from './made-up-sign-in.ts'
import { toSignIn } from './plain-sign-in.ts'

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

test('a sign-in that is kept can be read', async () => {
  const { store, readId, warnings } = await startStore()
  const before = [await readId(), await store.read(deadline)]
  await keep(store, toSignIn())
  const after = [await readId(), toPlain(await store.read(deadline))]
  expect({ before, after, warnings }).toEqual({
    before: [undefined, undefined],
    after: ['one', toPlain(toSignIn())],
    warnings: [],
  })
})

test('a sign-in is kept for its user alone, sealed, with its key in another directory', async () => {
  const { store, files } = await startStore()
  await keep(store, toSignIn())
  const { name, directory, keyDirectory, sealed, key } = files
  const modes = await Promise.all([directory, keyDirectory, sealed, key, files.lock].map(modeOf))
  const shown = (await readFile(sealed, 'utf8')).match(/id-1|refresh-1|dana|openid/)
  expect({ modes, files: await readdir(directory), keys: await readdir(keyDirectory), shown }).toEqual({
    modes: ['700', '700', '600', '600', '600'],
    files: [`${name}.lock`, `${name}.sealed`],
    keys: [`${name}.key`],
    shown: null,
  })
})

test('each write has a nonce of its own', async () => {
  const { store, files } = await startStore()
  const write = async () => {
    await keep(store, toSignIn())
    return readFile(files.sealed, 'utf8')
  }
  expect(await write()).not.toBe(await write())
})

test('a forgotten sign-in is gone with its key', async () => {
  const { store, readId, files } = await startStore()
  await keep(store, toSignIn())
  const forget = async () => ({
    current: await keep(store, 'forget'),
    read: [await readId(), await store.read(deadline)],
    left: [await readdir(files.directory), await readdir(files.keyDirectory)],
  })
  const gone = { current: undefined, read: [undefined, undefined], left: [[`${files.name}.lock`], []] }
  expect([await forget(), await forget()]).toEqual([gone, gone])
})

test('without refresh tokens none is kept, and one that was kept before is removed', async () => {
  const kept = await startStore()
  await keep(kept.store, toSignIn())
  const { store } = await startStore({ host: kept.host, refreshTokens: 'none' })
  const read = [await store.read(deadline), await kept.store.read(deadline)]
  await keep(store, toSignIn(2))
  read.push(await kept.store.read(deadline))
  expect(read.map((signIn) => toPlain(signIn)?.tokens.secrets)).toEqual([
    ['id-1', 'access-1', undefined],
    ['id-1', 'access-1', undefined],
    ['id-2', 'access-2', undefined],
  ])
})

const damaged = ({ sealed }: StoreFiles) => `${sealed} is damaged`
const foreign = ({ sealed, key }: StoreFiles) => `${sealed} is damaged, or does not belong to its key ${key}`
const keyless = ({ sealed, key }: StoreFiles) =>
  `${sealed} cannot be opened, because its key ${key} is missing or damaged`

test.each<[what: string, damage: (files: StoreFiles) => Promise<unknown>, problem: (files: StoreFiles) => string]>([
  ['empty', ({ sealed }) => writeFile(sealed, ''), damaged],
  ['truncated', async ({ sealed }) => writeFile(sealed, (await readFile(sealed, 'utf8')).slice(0, -9)), foreign],
  ['without its second line', async ({ sealed }) => writeFile(sealed, '{"format":1,"id":"one"}'), foreign],
  [
    'given another id',
    async ({ sealed }) => writeFile(sealed, (await readFile(sealed, 'utf8')).replace('"one"', '"two"')),
    foreign,
  ],
  [
    'of a newer format',
    async ({ sealed }) => writeFile(sealed, (await readFile(sealed, 'utf8')).replace('"format":1', '"format":2')),
    ({ sealed }) => `${sealed} is of another version of this program`,
  ],
  ['without its key', ({ key }) => rm(key), keyless],
  ['beside a truncated key', ({ key }) => writeFile(key, '{"format":1,"key":"AAAA"}'), keyless],
])('a file that is %s counts as nobody signed in, once with a warning, and is replaced', async (_, damage, problem) => {
  const { store, files, warnings } = await startStore()
  await keep(store, toSignIn())
  await damage(files)
  const damagedReads = [await store.read(deadline), await store.read(deadline)]
  await keep(store, toSignIn(2))
  expect({ damagedReads, warnings, replaced: toPlain(await store.read(deadline)) }).toEqual({
    damagedReads: [undefined, undefined],
    warnings: [`${problem(files)}: nobody counts as signed in, and the next sign-in replaces it`],
    replaced: toPlain(toSignIn(2)),
  })
})

test('a sealed file of another sign-in cannot be put in its place', async () => {
  const { store, files } = await startStore()
  await keep(store, toSignIn())
  const [directory, keys] = [await temporaryDirectory(), await temporaryDirectory()]
  const renamed = { ...process.env, XDG_STATE_HOME: directory, XDG_DATA_HOME: keys }
  const other = await startStore({ host: await testHost({ env: renamed, home: '/h' }) })
  await keep(other.store, toSignIn(2))
  await rename(other.files.sealed, files.sealed)
  expect(await store.read(deadline)).toBeUndefined()
})

test('a write of a killed process is finished by the next one that changes the store', async () => {
  const { store, files } = await startStore()
  await keep(store, toSignIn(2))
  await rename(files.sealed, files.draft)
  await writeFile(files.sealed, 'old')
  const current = await store.change(deadline, { make: async () => undefined })
  expect([toPlain(current), (await readdir(files.directory)).length]).toEqual([toPlain(toSignIn(2)), 2])
})

test('a change without a result returns what it has stored', async () => {
  const { store } = await startStore()
  await keep(store, toSignIn(1))
  const current = await store.change(deadline, {
    make: async (_, keepNow) => {
      await keepNow(toSignIn(2))
      return undefined
    },
  })
  expect([current, await store.read(deadline)].map(toPlain)).toEqual(Array(2).fill(toPlain(toSignIn(2))))
})

test('an incomplete draft is not taken for a sign-in, and is replaced', async () => {
  const { store, files } = await startStore()
  await keep(store, toSignIn(1))
  await writeFile(files.draft, (await readFile(files.sealed, 'utf8')).slice(0, 80))
  const make = vi.fn(async () => toSignIn(2))
  await store.change(deadline, { make })
  expect({
    calls: make.mock.calls.map(([current]: unknown[]) => toPlain(current as never)),
    files: await readdir(files.directory),
  }).toEqual({ calls: [toPlain(toSignIn(1))], files: [`${files.name}.lock`, `${files.name}.sealed`] })
})

test('a store that cannot keep a sign-in is known before a person signs in', async () => {
  const { store, readId, files } = await startStore()
  await store.prepare(deadline)
  expect([await readdir(files.directory), await readdir(files.keyDirectory), await readId()]).toEqual([
    [`${files.name}.lock`],
    [`${files.name}.key`],
    undefined,
  ])
})

/** Each harm to a file with its refusal, and with the id of the sign-in that can still be read from a sealed file. */
const harms: readonly [what: string, harm: (path: string) => Promise<unknown>, problem: string, id?: string][] = [
  [
    'a link',
    async (path) => {
      await rename(path, `${path}.old`)
      await symlink(`${path}.old`, path)
    },
    "PATH is a link (run: rm 'PATH')",
  ],
  ['writable for others', (path) => chmod(path, 0o666), "PATH can be written by other users (run: chmod go-w 'PATH')"],
  [
    'readable for others',
    (path) => chmod(path, 0o640),
    "PATH can be read by other users (run: chmod go-r 'PATH')",
    // It is not a secret, and stays readable for the calls that are served from the cache.
    'one',
  ],
  [
    'no file',
    async (path) => {
      await rm(path)
      await mkdir(path)
    },
    "PATH is not a regular file (run: rm 'PATH')",
  ],
  ['another user’s', makeForeign, "PATH belongs to another user (see: ls -ld 'PATH')"],
]

describe.runIf(process.platform !== 'win32').each([
  ['sealed file', 'sealed'],
  ['key', 'key'],
] as const)('a %s', (_, kind) => {
  test.each(harms)('that is %s is refused', async (what, harm, problem) => {
    const { store, files } = await startStore()
    await keep(store, toSignIn())
    const path = files[kind]
    await harm(path)
    // A user who is not root first sees the directory as another user's.
    const named = what === 'another user’s' && process.geteuid?.() !== 0 ? dirname(path) : path
    expect(await failureOf(store.read(deadline))).toEqual([
      'not-configured',
      problem.replaceAll('PATH', named),
      `look at it with: ls -ld '${path}'`,
    ])
  })
})

test.runIf(process.platform !== 'win32').each(harms)(
  'the id is not read from a sealed file that is %s, unless others can only read it',
  async (_, harm, _problem, id) => {
    const { store, readId, files } = await startStore()
    await keep(store, toSignIn())
    await harm(files.sealed)
    expect(await readId()).toBe(id)
  },
)

test('the message names the place where nothing can be written', async () => {
  const { store, files, host } = await startStore()
  await writeFile(join(host.home, '.local'), 'a file')
  expect(await failureOf(keep(store, toSignIn()))).toEqual([
    'not-configured',
    `cannot write ${files.directory} (ENOTDIR)`,
    `make ${dirname(files.directory)} writable for the user who runs this; see who may: ls -ld '${dirname(files.directory)}'`,
  ])
})

test('one run at a time changes a sign-in', async () => {
  const { store } = await startStore()
  await keep(store, toSignIn(1))
  const events: string[] = []
  let second: Promise<unknown> | undefined
  await store.change(deadline, {
    make: async () => {
      second = store.change(deadline, {
        make: async (current) => {
          events.push(`the second finds ${current?.id}`)
          return undefined
        },
      })
      const third = await store.change(deadline, { make: async () => 'forget', isEnough: ({ id }) => id === 'one' })
      events.push(`the third finds ${third?.id}, and changes nothing`)
      return toSignIn(2, 'two')
    },
  })
  await second
  expect(events).toEqual(['the third finds one, and changes nothing', 'the second finds two'])
})

test('a run that waits longer than the deadline says for what', async () => {
  const { store } = await startStore()
  await keep(store, toSignIn(1))
  const brief = new Deadline({ seconds: 3, hint: 'h' }, { elapsedMs: () => 0 })
  // It is asked while the lock is waited for.
  const isEnough = () => {
    vi.advanceTimersByTime(3_001)
    return false
  }
  useFakeTimers()
  const waiting = store.change(deadline, {
    make: async () => {
      const failure = await failureOf(store.change(brief, { make: async () => undefined, isEnough }))
      expect(failure).toEqual([
        'late',
        'another run that changes the sign-in to login.example took longer than the 3 s of this call',
        'h',
      ])
      return undefined
    },
  })
  expect((await waiting)?.id).toBe('one')
})
