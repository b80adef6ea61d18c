import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { CacheRefusal, cacheDirectory, entryPath, readEntry, writeEntry } from '../../src/helper/token-cache.ts'
import { renderEntry, type TokenEntry } from '../../src/helper/token-entry.ts'
import { Secret } from '../../src/runtime/secret.ts'
import { makeForeign } from '../setup/foreign-file.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const entry: TokenEntry = {
  token: new Secret('sk-1'),
  expiresAt: 2_000,
  minted: 1_000,
  context: 'interactive',
  facts: { account: '1' },
}

/** A cache that is not there yet, two levels below a directory that is. */
async function place() {
  const directory = join(await temporaryDirectory(), 'cache', 'gatepass')
  return { directory, path: entryPath(directory, 'tool', 'abc') }
}

const modeOf = async (path: string) => ((await lstat(path)).mode & 0o7777).toString(8)
const open = (read: TokenEntry | undefined) => read && { ...read, token: read.token.reveal() }

test('what is written is read back', async () => {
  const { directory, path } = await place()
  await writeEntry(directory, path, entry)
  expect(open(await readEntry(path))).toEqual(open(entry))
})

test('an entry is readable for its owner only, in a directory of its owner only, and nothing lies beside it', async () => {
  const { directory, path } = await place()
  await writeEntry(directory, path, entry)
  expect([await modeOf(directory), await modeOf(path), await readdir(directory)]).toEqual([
    '700',
    '600',
    ['tool-abc.json'],
  ])
})

test('an entry replaces the older one, whose mode does not matter', async () => {
  const { directory, path } = await place()
  await writeEntry(directory, path, entry)
  await chmod(path, 0o644)
  await writeEntry(directory, path, { ...entry, token: new Secret('sk-2') })
  expect([open(await readEntry(path))?.token, await modeOf(path)]).toEqual(['sk-2', '600'])
})

test('an entry replaces a link instead of writing through it', async () => {
  const { directory, path } = await place()
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const target = join(await temporaryDirectory(), 'target')
  await writeFile(target, 'untouched')
  await symlink(target, path)
  await writeEntry(directory, path, entry)
  expect([await readFile(target, 'utf8'), (await lstat(path)).isFile()]).toEqual(['untouched', true])
})

test('an entry that is not there is undefined', async () => {
  const { path } = await place()
  expect(await readEntry(path)).toBeUndefined()
})

test.each([
  ['empty', ''],
  ['torn', renderEntry(entry).slice(0, 20)],
  ['foreign', '{"AccessKeyId": "AKIA"}'],
  ['NUL', '\0\0\0'],
])('a file that is %s is undefined', async (_, text) => {
  const path = join(await temporaryDirectory(), 'tool-abc.json')
  await writeFile(path, text, { mode: 0o600 })
  expect(await readEntry(path)).toBeUndefined()
})

test('a link is refused on reading, even to an entry of our own', async () => {
  const { directory, path } = await place()
  await writeEntry(directory, path, entry)
  const link = join(directory, 'tool-link.json')
  await symlink(path, link)
  await expect(readEntry(link)).rejects.toEqual(new CacheRefusal(`${link} is a link`))
})

test('a dangling link is refused, not taken for a missing entry', async () => {
  const link = join(await temporaryDirectory(), 'tool-abc.json')
  await symlink('/nowhere', link)
  await expect(readEntry(link)).rejects.toEqual(new CacheRefusal(`${link} is a link`))
})

test.each([0o620, 0o602, 0o666])('an entry with mode %o is refused with the command that mends it', async (mode) => {
  const { directory, path } = await place()
  await writeEntry(directory, path, entry)
  await chmod(path, mode)
  await expect(readEntry(path)).rejects.toEqual(
    new CacheRefusal(`${path} can be written by other users (run: chmod go-w '${path}')`),
  )
})

test('an entry of another user is refused', async () => {
  const { directory, path } = await place()
  await writeEntry(directory, path, entry)
  await makeForeign(path)
  await expect(readEntry(path)).rejects.toEqual(new CacheRefusal(`${path} belongs to another user`))
})

test('nothing is written into a directory that others can write', async () => {
  const { directory, path } = await place()
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o770)
  await expect(writeEntry(directory, path, entry)).rejects.toEqual(
    new CacheRefusal(`${directory} can be written by other users (run: chmod go-w '${directory}')`),
  )
  expect(await readdir(directory)).toEqual([])
})

test('nothing is written through a directory that is a link', async () => {
  const { directory, path } = await place()
  const elsewhere = await temporaryDirectory()
  await mkdir(dirname(directory), { recursive: true })
  await symlink(elsewhere, directory)
  await expect(writeEntry(directory, path, entry)).rejects.toEqual(new CacheRefusal(`${directory} is a link`))
  expect(await readdir(elsewhere)).toEqual([])
})

test('where a file stands in place of the directory, writing and reading say so and leave everything as it was', async () => {
  const { directory, path } = await place()
  await mkdir(dirname(dirname(directory)), { recursive: true })
  await writeFile(dirname(directory), 'a file')
  await expect(writeEntry(directory, path, entry)).rejects.toMatchObject({ code: 'ENOTDIR' })
  await expect(readEntry(path)).rejects.toMatchObject({ code: 'ENOTDIR' })
  expect(await readFile(dirname(directory), 'utf8')).toBe('a file')
})

test('an entry that cannot take its place leaves no draft behind', async () => {
  const { directory, path } = await place()
  await mkdir(join(path, 'in the way'), { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  await expect(writeEntry(directory, path, entry)).rejects.toMatchObject({ code: expect.stringMatching(/^E/) })
  expect(await readdir(directory)).toEqual(['tool-abc.json'])
})

test('a reader beside many writers sees a whole entry every time', async () => {
  const { directory, path } = await place()
  await writeEntry(directory, path, entry)
  const long = { ...entry, token: new Secret('x'.repeat(60_000)) }
  const writing = Promise.all(
    Array.from({ length: 40 }, (_, index) => writeEntry(directory, path, index % 2 ? entry : long)),
  )
  const lengths = new Set<number | undefined>()
  for (let round = 0; round < 100; round += 1) lengths.add((await readEntry(path))?.token.reveal().length)
  await writing
  expect([...lengths].filter((length) => length !== 4 && length !== 60_000)).toEqual([])
  expect(await readdir(directory)).toEqual(['tool-abc.json'])
})

const home = '/home/u'
test.each<[platform: NodeJS.Platform, env: Record<string, string>, directory: string]>([
  ['linux', {}, '/home/u/.cache/gatepass'],
  ['linux', { XDG_CACHE_HOME: '/xdg' }, '/xdg/gatepass'],
  ['linux', { XDG_CACHE_HOME: '' }, '/home/u/.cache/gatepass'],
  ['darwin', { XDG_CACHE_HOME: '/xdg' }, '/home/u/Library/Caches/Gatepass'],
  ['win32', { LOCALAPPDATA: '/local' }, '/local/Gatepass/Cache'],
  ['win32', {}, '/home/u/AppData/Local/Gatepass/Cache'],
])('on %s with %j tokens are kept in %s', (platform, env, directory) => {
  expect(cacheDirectory({ env, home, platform })).toBe(directory)
})
