import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { changeUnderLock } from '../../../src/runtime/files/change-under-lock.ts'
import { openLock } from '../../../src/runtime/files/file-lock.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test('a change that goes on beyond an earlier deadline, within that of the whole call, leaves the lock to others', async () => {
  const path = join(await temporaryDirectory(), 'change.lock')
  let elapsedMs = 0
  const whole = new Deadline({ seconds: 600, hint: '' }, { elapsedMs: () => elapsedMs })
  const earlier = whole.shorten(60)
  const change = { otherRun: 'another run', whenBusy: 'wait', find: async () => undefined } as const
  const make = async () => {
    elapsedMs = 61_000
    return 'made'
  }
  expect(await changeUnderLock({ path, open: () => openLock(path) }, earlier, { ...change, make })).toBe('made')
  const other = await openLock(path)
  expect(await other.tryAcquire()).toBe(true)
  await other.release()
})
