import { expect, onTestFinished, test, vi } from 'vitest'
import { createCacheDirectory, locateCacheDirectory } from '../../../src/runtime/files/private-files.ts'
import { attemptLock } from '../../../src/sources/oauth/progress/locks.ts'
import { locateSignInFiles, readNote, writeNote } from '../../../src/sources/oauth/progress/note.ts'
import { runSignIn } from '../../../src/sources/oauth/run-sign-in.ts'
import { testNow } from '../../setup/test-host.ts'
import { startParts } from './made-up-parts.ts'

async function startHolder(after?: number) {
  const env = { GATEPASS_SIGN_IN_STEP: 'hold', ...(after && { GATEPASS_SIGN_IN_AFTER: String(after) }) }
  const parts = await startParts({ env })
  const run = vi.fn(async () => {})
  const flow = { id: 'one', subject: 'Example', limitSec: 60, isSignedIn: async () => false, run }
  const files = locateSignInFiles(await createCacheDirectory(locateCacheDirectory(parts.host)), flow.id)
  return { files, run, hold: () => runSignIn(flow, parts) }
}

test('a process that cannot have the lock does not sign in, and leaves the note alone', async () => {
  const { files, run, hold } = await startHolder()
  const note = { pid: 1, since: testNow, shown: undefined, ended: undefined }
  await writeNote(files, note)
  const lock = await attemptLock(files.lock)
  onTestFinished(async () => lock?.release())
  await hold()
  expect([run.mock.calls.length, await readNote(files)]).toEqual([0, note])
})

test.each([
  [0, 'a moment ago is enough', testNow - 1],
  [1, 'of which the time lies in the future counts for nothing', testNow + 60_000],
])('signs in %i times where a sign-in %s', async (count, _, at) => {
  const { files, run, hold } = await startHolder(testNow - 2)
  await writeNote(files, { pid: 1, since: testNow - 3, ended: { at } })
  await hold()
  expect(run).toHaveBeenCalledTimes(count)
})
