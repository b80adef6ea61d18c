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

/** A keychain of this test, and what it was asked. */
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

test('an entry is opened by the next run, by one read of the keychain, and nothing of it is readable', async () => {
  const { open, texts, list, asked } = await startCache()
  await open().write()
  expect(asked).toEqual(['read', 'read', 'write'])
  expect(await list()).toEqual(['cache-key.lock', 'tool-ab12.sealed'])
  expect(await texts()).not.toContain('hidden')
  const next = open()
  asked.length = 0
  expect([(await next.read())?.token.reveal(), (await next.read())?.facts, next.warnings, asked]).toEqual([
    'hidden-token',
    entry.facts,
    [],
    ['read'],
  ])
})

test('without an entry the keychain is not asked', async () => {
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

test('an entry in the clear is not served, and is removed', async () => {
  const { open, list, location } = await startCache()
  await writeEntry(location, entry)
  expect([await open().read(), await list()]).toEqual([undefined, []])
})

test('an entry that another key has sealed, that was sealed for another name, or that was changed is not accepted', async () => {
  const { open, location, secrets } = await startCache()
  await open().write()
  const path = join(location.directory, 'tool-ab12.sealed')
  const problem = (name: string) => [
    `cannot use the token cache: ${join(location.directory, name)} cannot be opened with the key in the test keychain (Cache key); it is replaced by the next token`,
  ]
  const text = await readFile(path, 'utf8')
  await writeFile(join(location.directory, 'tool-cd34.sealed'), text, { mode: 0o600 })
  const other = open({ ...location, key: 'cd34' })
  expect([await other.read(), other.warnings]).toEqual([undefined, problem('tool-cd34.sealed')])
  const value = JSON.parse(text)
  const otherFirst = value.sealed.startsWith('A') ? 'B' : 'A'
  await writeFile(path, JSON.stringify({ ...value, sealed: otherFirst + value.sealed.slice(1) }))
  const changed = open()
  expect([await changed.read(), changed.warnings]).toEqual([undefined, problem('tool-ab12.sealed')])
  await writeFile(path, JSON.stringify({ ...value, expiresAt: 9_000_000_000_000 }))
  expect((await open().read())?.expiresAt).toBe(entry.expiresAt)
  secrets.clear()
  const lost = open()
  expect([await lost.read(), lost.warnings]).toEqual([undefined, problem('tool-ab12.sealed')])
})

test('many runs for other tokens make one key', async () => {
  const { open, location, asked } = await startCache()
  const runs = Array.from({ length: 10 }, (_, index) => open({ ...location, key: `a${index}` }))
  await Promise.all(runs.map((run) => run.write()))
  expect(asked.filter((word) => word === 'write')).toHaveLength(1)
  const opened = await Promise.all(runs.map(async (run) => (await run.read())?.token.reveal()))
  expect(opened).toEqual(runs.map(() => 'hidden-token'))
})

test('a list shows when and from what, without the key', async () => {
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
