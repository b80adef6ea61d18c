import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { createRelease } from '../../../../src/sources/oauth/attempt-sign-in.ts'
import { attemptLock } from '../../../../src/sources/oauth/progress/locks.ts'
import { locateSignInFiles, writeNote } from '../../../../src/sources/oauth/progress/note.ts'
import { readStop, stopSignIn } from '../../../../src/sources/oauth/progress/stop.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { waitUntil } from '../../../setup/wait-until.ts'

async function startSigningIn() {
  const directory = join(await temporaryDirectory(), 'cache')
  await mkdir(directory, { mode: 0o700 })
  const files = locateSignInFiles(directory, 'one')
  const release = createRelease(await attemptLock(files.lock))
  onTestFinished(release)
  const own = { pid: 7, since: 5 }
  await writeNote(files, own)
  return { files, release, own }
}

test('a sign-in is told to end, and why, by a file for this user alone', async () => {
  const { files, release, own } = await startSigningIn()
  const failure = new HelperError('sign-in-required', 'it was ended', 'start again')
  const taking = stopSignIn(files, { failure })
  await waitUntil('it is told', async () => (await readStop(files, own)) !== undefined)
  expect({
    told: await readStop(files, own),
    mode: ((await stat(files.stop)).mode & 0o777).toString(8),
    // A request to stop one sign-in ends no other, not even in a process of the same number.
    others: [await readStop(files, { ...own, since: 6 }), await readStop(files, { ...own, pid: 8 })],
    lock: await attemptLock(files.start),
  }).toEqual({ told: { failure }, mode: '600', others: [undefined, undefined], lock: undefined })
  await release()
  const lock = await taking
  onTestFinished(async () => lock?.release())
  expect([lock === undefined, (await readdir(files.directory)).filter((name) => name.endsWith('.stop'))]).toEqual([
    false,
    [],
  ])
})

test('a sign-in that cannot be told to end goes on', async () => {
  const { files } = await startSigningIn()
  await mkdir(files.stop) // no file can be written in its place
  expect(await stopSignIn(files, {})).toBeUndefined()
})

test('another sign-in than the one that is meant goes on', async () => {
  const { files, own } = await startSigningIn()
  expect([await stopSignIn(files, {}, () => false), await readStop(files, own)]).toEqual([undefined, undefined])
})
