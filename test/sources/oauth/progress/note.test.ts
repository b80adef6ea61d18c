import { chmod, mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { listCacheFiles, toCacheFilePath } from '../../../../src/helper/cache/cache-files.ts'
import { HelperError } from '../../../../src/runtime/failure.ts'
import {
  digestRequest,
  isOther,
  locateSignInFiles,
  parseNote,
  readNote,
  type SignInNote,
  writeNote,
} from '../../../../src/sources/oauth/progress/note.ts'
import { isReopeningDue } from '../../../../src/sources/oauth/progress/ports.ts'
import type { SignInWay } from '../../../../src/sources/oauth/sign-in-options.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

/** The files of a sign-in in a new cache. */
async function createFiles() {
  const directory = join(await temporaryDirectory(), 'cache')
  await mkdir(directory, { mode: 0o700 })
  return { directory, files: locateSignInFiles(directory, 'one') }
}

const shown = { address: 'https://a.example/', userCode: 'ABCD', opens: true, openedAt: 7 }
const failure = new HelperError('refused', 'no', 'ask')

test.each<[what: string, note: SignInNote]>([
  ['that has begun', { pid: 1, since: 5, shown: undefined, ended: undefined }],
  ['that has claimed a port', { pid: 1, since: 5, claim: { key: 'a'.repeat(40), isWatched: true } }],
  ['with something to show', { pid: 1, since: 5, shown, ended: undefined }],
  ['that says what it was begun with', { pid: 1, since: 5, request: 'ab', way: 'device', shown, ended: undefined }],
  [
    'whose browser could not be started',
    {
      pid: 1,
      since: 5,
      shown: { ...shown, opens: false, unopened: { problem: 'x', browser: '/b' } },
      ended: undefined,
    },
  ],
  ['that is done', { pid: 1, since: 5, shown, ended: { at: 9, failure: undefined } }],
  ['that failed', { pid: 1, since: 5, shown, ended: { at: 9, failure } }],
])('the note of a sign-in %s is read as it was written', async (_, note) => {
  const { files } = await createFiles()
  await writeNote(files, note)
  expect(await readNote(files)).toEqual(note)
})

test('a note of another version is read without members of other types', () => {
  const text = '{"pid":1,"since":5,"request":7,"way":"off","shown":[],"ended":{}}'
  expect(parseNote(text)).toEqual({ pid: 1, since: 5 })
})

test.each(['', '[]', '{}', '{"pid":1}', '{"pid":"1","since":2}'])('%j is not a note', (text) => {
  expect(parseNote(text)).toBeUndefined()
})

const begun = { pid: 1, since: 5, shown, ended: undefined }

test('a note is for this user alone, and is not written through a link', async () => {
  const { directory, files } = await createFiles()
  await symlink(join(directory, 'elsewhere'), files.draft)
  await writeNote(files, begun)
  expect([await readdir(directory), (await stat(files.note)).mode & 0o777, await readNote(files)]).toEqual([
    [basename(files.note)],
    0o600,
    begun,
  ])
})

test('a note that others may write is not read', async () => {
  const { files } = await createFiles()
  await writeNote(files, begun)
  await chmod(files.note, 0o622)
  expect(await readNote(files)).toBeUndefined()
})

test('a note is not read through a link', async () => {
  const { directory, files } = await createFiles()
  await writeNote(files, begun)
  await rename(files.note, join(directory, 'target'))
  await symlink(join(directory, 'target'), files.note)
  expect(await readNote(files)).toBeUndefined()
})

test('the sweep and the clearing of the cache know every file of a sign-in', async () => {
  const { directory, key: _, ...paths } = locateSignInFiles(await temporaryDirectory(), 'one')
  await Promise.all(Object.values(paths).map((path) => writeFile(path, '')))
  const files = await listCacheFiles(directory)
  const kindOf = new Map(files.map(({ location, kind }) => [toCacheFilePath(location, kind), kind]))
  expect(Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, kindOf.get(path)]))).toEqual({
    lock: 'lock',
    start: 'lock',
    note: 'sign-in',
    draft: 'draft',
    waiting: 'waiting',
    stop: 'stop',
  })
})

const request = digestRequest('["127.0.0.1"]')
const opened = { address: 'https://a.example/', opens: true }
const unopened = { address: 'https://a.example/', opens: false, unopened: { problem: 'is not there', browser: '/b' } }
const code = { address: 'https://a.example/', userCode: 'ABCD', opens: false }

test.each<[isOther: boolean, what: string, note: Partial<SignInNote>, way: SignInWay]>([
  [false, 'was begun with the same', { way: 'auto' }, 'auto'],
  [true, 'was begun with another redirect', { way: 'auto', request: digestRequest('["localhost"]') }, 'auto'],
  [false, 'is of a version that does not say', { request: undefined }, 'auto'],
  [true, 'is in a browser, where a code is asked for', { way: 'auto', shown: opened }, 'device'],
  [true, 'is by code, where no code is asked for any more', { way: 'device', shown: code }, 'auto'],
  [false, 'is by code, because no browser opens here', { way: 'auto', shown: code }, 'auto'],
  [true, 'is by code, where a browser is to open', { way: 'auto', shown: code }, 'browser'],
  [false, 'is in a browser, which is what is asked for', { way: 'auto', shown: opened }, 'browser'],
  [false, 'could not start the browser that is still set', { way: 'auto', shown: unopened }, 'auto'],
  [false, 'could not start it for whoever wants one', { way: 'auto', shown: unopened }, 'browser'],
  [
    true,
    'could not start another browser',
    { way: 'auto', shown: { ...unopened, unopened: { problem: 'x', browser: '/old' } } },
    'auto',
  ],
  [false, 'is to be in a browser and has not opened it yet', { way: 'browser' }, 'auto'],
])('a sign-in counts as another one (%s) if it %s', (expected, _, note, way) => {
  expect(isOther({ pid: 1, since: 1, request, ...note }, { request, way, browser: '/b' })).toBe(expected)
})

const minute = 60_000
test.each<[isDue: boolean, what: string, change: Partial<Parameters<typeof isReopeningDue>[0]>]>([
  [true, 'a run begins to wait, minutes after the tab was opened and nobody waited', {}],
  [false, 'somebody has waited all the time', { waitingBefore: 10 * minute - 1_000 }],
  [false, 'nobody waits', { lastWaiting: minute }],
  [false, 'the tab was opened a moment ago', { openedAt: 9 * minute }],
  [false, 'no tab was opened here', { openedAt: undefined }],
  [true, 'no browser could be started before', { openedAt: undefined, isUnopened: true }],
  [false, 'none could, and somebody still waits', { isUnopened: true, waitingBefore: 10 * minute - 1_000 }],
])('the address is opened again: %s, where %s', (isDue, _, change) => {
  const times = { now: 10 * minute, openedAt: 2 * minute, lastWaiting: 10 * minute, waitingBefore: minute }
  const moment = { ...times, isUnopened: false }
  expect(isReopeningDue({ ...moment, ...change })).toBe(isDue)
})
