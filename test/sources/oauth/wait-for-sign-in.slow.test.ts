import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { createCacheDirectory, locateCacheDirectory } from '../../../src/runtime/files/private-files.ts'
import type { SignInFlow } from '../../../src/sources/oauth/flow.ts'
import { attemptLock } from '../../../src/sources/oauth/progress/locks.ts'
import { locateSignInFiles, type SignInNote, writeNote } from '../../../src/sources/oauth/progress/note.ts'
import { waitForSignIn } from '../../../src/sources/oauth/wait-for-sign-in.ts'
import { toFailureParts } from '../../setup/failure-parts.ts'
import { testNow } from '../../setup/test-host.ts'
import { startParts } from './made-up-parts.ts'

const minute = 60_000
const hint =
  "finish it in the browser, and the next start joins it; for more time, tell your administrator: set timeoutSec in the client's document, and client-timeout here, to 300; its page is: "
const say = (address: string) => `p: a browser opens for the sign-in to Example; if you see none, open: ${address}\n`
const toNote = (address: string, ended?: SignInNote['ended']): SignInNote => ({
  pid: 1,
  since: testNow - minute,
  shown: { address, opens: true },
  ended,
})

/** Returns the messages and the end of a run of 1.5 s, while another process holds the lock and the notes are written in turn. */
async function wait(
  notes: readonly SignInNote[],
  run: { readonly parts?: Awaited<ReturnType<typeof startParts>>; readonly isSignedIn?: SignInFlow['isSignedIn'] } = {},
) {
  const { parts = await startParts({}, 1.5), isSignedIn = async () => false } = run
  const flow = { id: 'one', subject: 'Example', limitSec: 60, isSignedIn, run: async () => {} }
  const files = locateSignInFiles(await createCacheDirectory(locateCacheDirectory(parts.host)), flow.id)
  const end = () => waitForSignIn(flow, parts).catch(toFailureParts)
  const [first, ...others] = notes
  if (first) await writeNote(files, first)
  const lock = await attemptLock(files.lock)
  onTestFinished(async () => lock?.release())
  const timers = others.map((note, index) => setTimeout(() => void writeNote(files, note), 400 * (index + 1)))
  onTestFinished(() => timers.forEach(clearTimeout))
  const ended = await end()
  return { said: parts.host.written.stderr, end: ended }
}

const late = (way: string) => ['late', 'the sign-in to Example took longer than the 1.5 s of this call', way]

test('a sign-in that has ended is not shown again, whoever holds the lock now', async () => {
  const ended = toNote('https://old.example/', { at: testNow - 1 })
  expect(await wait([ended])).toEqual({ said: '', end: late('h') })
  const said = say('https://new.example/')
  expect(await wait([ended, toNote('https://new.example/')])).toEqual({
    said,
    end: late(`${hint}https://new.example/`),
  })
})

test('a sign-in that is found after the deadline is not reported', async () => {
  const { promise: looked, resolve } = Promise.withResolvers<boolean>()
  let looks = 0
  const isSignedIn = async () => (++looks === 1 ? false : looked)
  const parts = await startParts({}, 1.5)
  const { end } = await wait([toNote('https://late.example/')], { parts, isSignedIn })
  resolve(false)
  await sleep(500) // in which a run that goes on would read the note and show its address
  expect({ end, said: parts.host.written.stderr }).toEqual({ end: late('h'), said: '' })
})

test('the address of a process that follows a killed one is told too', async () => {
  const notes = ['https://lost.example/', 'https://new.example/', 'https://new.example/'].map((address) =>
    toNote(address),
  )
  const said = say('https://lost.example/') + say('https://new.example/')
  expect(await wait(notes)).toEqual({ said, end: late(`${hint}https://new.example/`) })
})

test('an address that no longer works is not named at the end', async () => {
  const begun = { ...toNote(''), shown: undefined }
  expect(await wait([toNote('https://lost.example/'), begun])).toEqual({
    said: say('https://lost.example/'),
    end: late('h'),
  })
})

test.each([
  ['succeeded', undefined],
  ['failed', new HelperError('refused', 'no', 'ask')],
])('a sign-in that %s in the future, by a clock that was wrong, ends no wait', async (_, failure) => {
  const note = toNote('https://old.example/', { at: testNow + minute, failure })
  expect(await wait([note])).toEqual({ said: '', end: late('h') })
})
