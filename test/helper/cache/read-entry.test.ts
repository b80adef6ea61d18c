import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { type EntryLocation, toCacheFilePath } from '../../../src/helper/cache/cache-files.ts'
import { readEntry, renderEntry, type TokenEntry, writeEntry } from '../../../src/helper/cache/entry.ts'
import {
  createCacheDirectory,
  locateCacheDirectory,
  UnsafeCacheError,
} from '../../../src/runtime/files/private-files.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { makeForeign } from '../../setup/foreign-file.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const entry: TokenEntry = {
  token: new Secret('sk-1'),
  expiresAt: 2_000,
  clockOffsetMs: 0,
  minted: 1_000,
  bootedAt: 0,
  context: 'interactive',
  facts: { account: '1' },
  uses: ['a drawer'],
}

/** Prepares a cache that is not there yet, two levels below a directory that is. */
async function startCache() {
  const directory = join(await temporaryDirectory(), 'cache', 'gatepass')
  const place = { directory, program: 'tool', key: 'abc' }
  return { directory, place, path: toCacheFilePath(place, 'entry') }
}

/** Writes as whoever has the lock does. */
async function write(place: EntryLocation, what = entry): Promise<void> {
  await createCacheDirectory(place.directory)
  await writeEntry(place, what)
}

const modeOf = async (path: string) => ((await lstat(path)).mode & 0o7777).toString(8)
const open = (read: TokenEntry | undefined) => read && { ...read, token: read.token.reveal() }

test('a written entry is read back', async () => {
  const { place } = await startCache()
  await write(place)
  expect(open(await readEntry(place))).toEqual(open(entry))
})

test('an entry is readable for its owner only, in a directory of its owner only', async () => {
  const { directory, place, path } = await startCache()
  await write(place)
  expect([await modeOf(directory), await modeOf(path), await readdir(directory)]).toEqual([
    '700',
    '600',
    ['tool-abc.json'],
  ])
})

test('an entry replaces the older one, whose mode does not matter', async () => {
  const { place, path } = await startCache()
  await write(place)
  await chmod(path, 0o644)
  await write(place, { ...entry, token: new Secret('sk-2') })
  expect([open(await readEntry(place))?.token, await modeOf(path)]).toEqual(['sk-2', '600'])
})

test('an entry replaces a link instead of writing through it', async () => {
  const { directory, place, path } = await startCache()
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const target = join(await temporaryDirectory(), 'target')
  await writeFile(target, 'untouched')
  await symlink(target, path)
  await write(place)
  expect([await readFile(target, 'utf8'), (await lstat(path)).isFile()]).toEqual(['untouched', true])
})

test('a missing entry is undefined', async () => {
  const { place } = await startCache()
  expect(await readEntry(place)).toBeUndefined()
})

test.each([
  ['empty', ''],
  ['torn', renderEntry(entry, { program: 'tool', key: 'abc' }).slice(0, 20)],
  ['foreign', '{"AccessKeyId": "AKIA"}'],
  ['NUL', '\0\0\0'],
  ['of an older version', renderEntry(entry, { program: 'tool', key: 'abc' }).replace('"format":2', '"format":1')],
  ['a copy of another key’s entry', renderEntry(entry, { program: 'tool', key: 'abd' })],
])('a file that is %s is refused', async (_, text) => {
  const { place, path } = await startCache()
  await createCacheDirectory(place.directory)
  await writeFile(path, text, { mode: 0o600 })
  await expect(readEntry(place)).rejects.toEqual(
    new UnsafeCacheError(`${path} is not an entry of this version and key; it is replaced by the next token`),
  )
})

test.each(['an entry of our own', '/nowhere'])('a link to %s is refused on reading', async (target) => {
  const { directory, place } = await startCache()
  await write(place)
  const other = { ...place, key: 'link' }
  const link = toCacheFilePath(other, 'entry')
  await symlink(target.startsWith('/') ? target : toCacheFilePath(place, 'entry'), link)
  const before = await readdir(directory)
  await expect(readEntry(other)).rejects.toEqual(new UnsafeCacheError(`${link} is a link (run: rm '${link}')`))
  expect(await readdir(directory)).toEqual(before)
})

test('a pipe in place of an entry is refused without waiting for its other end', async () => {
  const { place, path } = await startCache()
  await createCacheDirectory(place.directory)
  await execa('mkfifo', ['-m', '600', path])
  await expect(readEntry(place)).rejects.toEqual(
    new UnsafeCacheError(`${path} is not a regular file (run: rm '${path}')`),
  )
})

test.each([0o620, 0o602, 0o666])('an entry with mode %o is refused with the command that fixes it', async (mode) => {
  const { place, path } = await startCache()
  await write(place)
  await chmod(path, mode)
  await expect(readEntry(place)).rejects.toEqual(
    new UnsafeCacheError(`${path} can be written by other users (run: chmod go-w '${path}')`),
  )
})

test('an entry of another user is refused', async () => {
  const { place, path } = await startCache()
  await write(place)
  await makeForeign(path)
  await expect(readEntry(place)).rejects.toEqual(
    new UnsafeCacheError(`${path} belongs to another user (see: ls -ld '${path}')`),
  )
})

test('nothing is written into a directory that others can write', async () => {
  const { directory, place } = await startCache()
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o770)
  await expect(write(place)).rejects.toEqual(
    new UnsafeCacheError(`${directory} can be written by other users (run: chmod go-w '${directory}')`),
  )
  expect(await readdir(directory)).toEqual([])
})

test('nothing is written through a directory that is a link', async () => {
  const { directory, place } = await startCache()
  const elsewhere = await temporaryDirectory()
  await mkdir(dirname(directory), { recursive: true })
  await symlink(elsewhere, directory)
  await expect(write(place)).rejects.toEqual(new UnsafeCacheError(`${directory} is a link (run: rm '${directory}')`))
  expect(await readdir(elsewhere)).toEqual([])
})

test('a file in place of the directory is reported by writing and reading, and stays as it was', async () => {
  const { directory, place } = await startCache()
  await mkdir(dirname(dirname(directory)), { recursive: true })
  await writeFile(dirname(directory), 'a file')
  const codes = [write(place), readEntry(place)].map((work) => work.catch(({ code }) => code))
  expect({ codes: await Promise.all(codes), content: await readFile(dirname(directory), 'utf8') }).toEqual({
    codes: ['ENOTDIR', 'ENOTDIR'],
    content: 'a file',
  })
})

test('an entry that cannot be renamed leaves no draft behind', async () => {
  const { directory, place, path } = await startCache()
  await mkdir(join(path, 'in the way'), { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  const outcome = await write(place).then(
    () => 'written',
    ({ code }) => (/^E[A-Z]+$/.test(code) ? 'a system error' : code), // which one depends on the system
  )
  expect({ outcome, files: await readdir(directory) }).toEqual({ outcome: 'a system error', files: ['tool-abc.json'] })
})

test('a draft that a killed process left does no harm, even as a link', async () => {
  const { directory, place } = await startCache()
  await createCacheDirectory(directory)
  const target = join(await temporaryDirectory(), 'target')
  await writeFile(target, 'untouched')
  await symlink(target, toCacheFilePath(place, 'draft'))
  await write(place)
  expect([await readFile(target, 'utf8'), await readdir(directory)]).toEqual(['untouched', ['tool-abc.json']])
})

test('a reader beside a writer sees a whole entry every time', async () => {
  const { directory, place } = await startCache()
  await write(place)
  const long = { ...entry, token: new Secret('x'.repeat(60_000)) }
  const writeMany = async () => {
    for (let round = 0; round < 40; round += 1) await write(place, round % 2 ? entry : long)
  }
  const writing = writeMany()
  const lengths = new Set<number | undefined>()
  for (let round = 0; round < 100; round += 1) lengths.add((await readEntry(place))?.token.reveal().length)
  await writing
  const others = [...lengths].filter((length) => length !== 4 && length !== 60_000)
  expect({ others, files: await readdir(directory) }).toEqual({ others: [], files: ['tool-abc.json'] })
})

const home = '/home/u'
test.each<[platform: NodeJS.Platform, env: Record<string, string>, directory: string]>([
  ['linux', {}, '/home/u/.cache/gatepass'],
  ['linux', { XDG_CACHE_HOME: '/xdg' }, '/xdg/gatepass'],
  ['linux', { XDG_CACHE_HOME: '' }, '/home/u/.cache/gatepass'],
  ['linux', { XDG_CACHE_HOME: 'relative' }, '/home/u/.cache/gatepass'],
  ['darwin', { XDG_CACHE_HOME: '/xdg' }, '/home/u/Library/Caches/Gatepass'],
  ['win32', { LOCALAPPDATA: '/local' }, '/local/Gatepass/Cache'],
  ['win32', {}, '/home/u/AppData/Local/Gatepass/Cache'],
])('on %s with %j tokens are kept in %s', (platform, env, directory) => {
  expect(locateCacheDirectory({ env, home, platform })).toBe(directory)
})

test('a file in place of the directory is refused', async () => {
  const { directory, place } = await startCache()
  await mkdir(dirname(directory), { recursive: true })
  await writeFile(directory, '', { mode: 0o600 })
  await expect(readEntry(place)).rejects.toEqual(new UnsafeCacheError(`${directory} is not a directory`))
})
