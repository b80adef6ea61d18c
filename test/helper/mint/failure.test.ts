import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fromMintFailure, readNote, toMintFailure } from '../../../src/helper/mint/mint-lock.ts'
import { exitStatus, type FailureKind, HelperError } from '../../../src/runtime/failure.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** Reads the failure from the note of a lock. */
async function readFailed(failed: unknown) {
  const path = join(await temporaryDirectory(), 'note')
  await writeFile(path, JSON.stringify({ pid: 1, since: 1, failed }), { mode: 0o600 })
  const note = await readNote(path)
  expect(note?.pid).toBe(1)
  return note?.failed
}

const callerFingerprint = '01234567'
const shared: readonly FailureKind[] = ['not-configured', 'sign-in-required', 'refused', 'unavailable']

test.each(Object.keys(exitStatus) as FailureKind[])(
  '%s is shared with other runs or concerns one run alone',
  async (kind) => {
    const failure = toMintFailure(new HelperError(kind, 'what', 'the way out', { cause: 'canary' }), callerFingerprint)
    // A lateness or a mistake of one run is not even written down for the others.
    expect(failure?.kind).toBe(shared.includes(kind) ? kind : undefined)
    const read = await readFailed(failure)
    const own = new HelperError(kind, 'what', 'the way out')
    expect(read && fromMintFailure(read)).toEqual(shared.includes(kind) ? own : undefined)
  },
)

test('a defect concerns one run alone', () => {
  expect(toMintFailure(new TypeError('canary'), callerFingerprint)).toBeUndefined()
})

test.each([
  null,
  undefined,
  'refused',
  {},
  { callerFingerprint: 'a', kind: 'tired', message: 'm', hint: 'h' },
  { callerFingerprint: 'a', kind: 'toString', message: 'm', hint: 'h' },
  { callerFingerprint: 'a', kind: 'refused', message: 1, hint: 'h' },
  { kind: 'refused', message: 'm', hint: 'h' },
])('%j is no failure', async (value) => {
  expect(await readFailed(value)).toBeUndefined()
})
