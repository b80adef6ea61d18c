import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeEntry } from '../../../src/helper/cache/entry.ts'
import { listCachedTokens } from '../../../src/helper/cache/inventory.ts'
import { createSealedFiles } from '../../../src/helper/cache/sealed-files.ts'
import { createStore } from '../../../src/helper/cache/store.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import type { Keychain } from '../../../src/sources/keychain/keychain.ts'
import { createKeychainKey } from '../../../src/sources/keychain/keychain-key.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const entry = {
  token: new Secret('hidden-token'),
  expiresAt: 4_000_000_000_000,
  clockOffsetMs: 0,
  minted: 1000,
  bootedAt: undefined,
  context: 'background' as const,
  facts: { account: 'hidden-account' },
  headers: { 'X-Key': 'hidden-header' },
  uses: ['profile dev'],
}

/** Creates a keychain of this test, and what it was asked. */
function createKeychain() {
  const secrets = new Map<string, Secret>()
  const asked: string[] = []
  let failure: Error | undefined
  const ask = async <T>(word: string, answer: () => T): Promise<T> => {
    asked.push(word)
    if (failure) throw failure
    return answer()
  }
  const keychain: Keychain = {
    title: 'the test keychain',
    read: ({ account }) => ask('read', () => secrets.get(account)),
    write: ({ account }, secret) => ask('write', () => void secrets.set(account, secret)),
    remove: ({ account }) => ask('remove', () => secrets.delete(account)),
  }
  const setFailure = (message: string | undefined) => {
    failure = message === undefined ? undefined : new HelperError('unavailable', message, 'unlock it')
  }
  return { keychain, secrets, asked, setFailure }
}

async function startCache() {
  const location = { directory: await temporaryDirectory(), program: 'tool', key: 'ab12' }
  const chain = createKeychain()
  /** A run of its own: the store of a new process. */
  const open = (at = location) => {
    const warnings: string[] = []
    const clock = { elapsedMs: () => 0 }
    const key = createKeychainKey(chain.keychain, { service: 'cache', account: 'tokens', label: 'Cache key' })
    const files = createSealedFiles(key, { deadline: new Deadline({ seconds: 20, hint: '' }, clock) })
    const store = createStore(
      at,
      (warning) => warnings.push(warning),
      async () => files,
    )
    return { ...store, warnings, write: () => store.tryOrWarn('cannot store the token', () => store.write(entry)) }
  }
  const texts = async () => {
    const names = await readdir(location.directory)
    return (await Promise.all(names.map((name) => readFile(join(location.directory, name), 'utf8')))).join('\n')
  }
  return { ...chain, location, open, texts, list: async () => (await readdir(location.directory)).sort() }
}

test('an entry is sealed with a new key of the keychain, and nothing of it is readable', async () => {
  const { open, texts, list, asked } = await startCache()
  await open().write()
  expect({ asked, files: await list(), hidden: /hidden/.exec(await texts()) }).toEqual({
    asked: ['read', 'read', 'write'],
    files: ['cache-key.lock', 'tool-ab12.sealed'],
    hidden: null,
  })
})

test('an entry is opened by the next run, by one read of the keychain', async () => {
  const { open, asked } = await startCache()
  await open().write()
  const next = open()
  asked.length = 0
  expect([(await next.read())?.token.reveal(), (await next.read())?.facts, next.warnings, asked]).toEqual([
    'hidden-token',
    entry.facts,
    [],
    ['read'],
  ])
})

test('the keychain is not asked where there is no entry', async () => {
  const { open, asked } = await startCache()
  expect([await open().read(), asked]).toEqual([undefined, []])
})

test('a locked keychain is asked once, and nothing is written', async () => {
  const { open, list, asked, setFailure } = await startCache()
  await open().write()
  const before = await list()
  setFailure('the test keychain is locked')
  asked.length = 0
  const run = open()
  expect([await run.read(), await run.read(), await run.write(), run.warnings, asked]).toEqual([
    undefined,
    undefined,
    undefined,
    ['cannot use the token cache: the test keychain is locked'],
    ['read'],
  ])
  expect(await list()).toEqual(before)
})

test('an entry that is not sealed is removed without being served', async () => {
  const { open, list, location } = await startCache()
  await writeEntry(location, entry)
  expect([await open().read(), await list()]).toEqual([undefined, []])
})

/** Prepares a cache with one sealed entry, and what a run that reads the entry of a key gets. */
async function startSealed() {
  const { open, location, secrets } = await startCache()
  await open().write()
  const path = join(location.directory, 'tool-ab12.sealed')
  return {
    path,
    secrets,
    value: JSON.parse(await readFile(path, 'utf8')),
    problem: (name: string) =>
      `cannot use the token cache: ${join(location.directory, name)} cannot be opened with the key in the test keychain (Cache key); it is replaced by the next token`,
    read: async (key = location.key) => {
      const run = open({ ...location, key })
      return { entry: await run.read(), warnings: run.warnings }
    },
  }
}

test('an entry that was sealed for another name is not accepted', async () => {
  const { path, read, problem } = await startSealed()
  await writeFile(path.replace('ab12', 'cd34'), await readFile(path), { mode: 0o600 })
  expect(await read('cd34')).toEqual({ entry: undefined, warnings: [problem('tool-cd34.sealed')] })
})

test('an entry that was changed is not accepted', async () => {
  const { path, value, read, problem } = await startSealed()
  const otherFirst = value.sealed.startsWith('A') ? 'B' : 'A'
  await writeFile(path, JSON.stringify({ ...value, sealed: otherFirst + value.sealed.slice(1) }))
  expect(await read()).toEqual({ entry: undefined, warnings: [problem('tool-ab12.sealed')] })
})

test('an entry ends by its sealed end, whatever its file says', async () => {
  const { path, value, read } = await startSealed()
  await writeFile(path, JSON.stringify({ ...value, expiresAt: 9_000_000_000_000 }))
  const { entry: opened, warnings } = await read()
  expect({ expiresAt: opened?.expiresAt, warnings }).toEqual({ expiresAt: entry.expiresAt, warnings: [] })
})

test('an entry that another key has sealed is not accepted', async () => {
  const { secrets, read, problem } = await startSealed()
  secrets.clear()
  expect(await read()).toEqual({ entry: undefined, warnings: [problem('tool-ab12.sealed')] })
})

test('many runs for other tokens make one key', async () => {
  const { open, location, asked } = await startCache()
  const runs = Array.from({ length: 10 }, (_, index) => open({ ...location, key: `a${index}` }))
  await Promise.all(runs.map((run) => run.write()))
  const writes = asked.filter((word) => word === 'write')
  const opened = await Promise.all(runs.map(async (run) => (await run.read())?.token.reveal()))
  expect({ writes, opened }).toEqual({ writes: ['write'], opened: runs.map(() => 'hidden-token') })
})

test('a list shows the time and the source of an entry without the key', async () => {
  const { open, location } = await startCache()
  await open().write()
  expect(await listCachedTokens(location.directory)).toEqual([
    {
      helper: 'tool',
      isSealed: true,
      entry: {
        minted: 1000,
        expiresAt: entry.expiresAt,
        uses: ['profile dev'],
        clockOffsetMs: 0,
        context: 'background',
      },
      path: `${location.directory}/tool-ab12.sealed`,
    },
  ])
})
