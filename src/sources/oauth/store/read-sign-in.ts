import { rename } from 'node:fs/promises'
import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { SealedPlace } from './locate-store.ts'
import { parseSealedSignIn } from './sealed-sign-in.ts'
import { readStoreFile } from './sealing/private-files.ts'
import type { StoredSignIn } from './sign-in-store.ts'

/**
 * Reads a sealed sign-in; `undefined` where there is none, or otherwise what is wrong with it.
 * @throws {HelperError} `not-configured` where it cannot be read, or another user could have written it; `late`.
 */
export async function readSealedSignIn(
  place: SealedPlace,
  deadline: Deadline,
): Promise<StoredSignIn | { readonly problem: string } | undefined> {
  const found = await attemptToRead(place, place.files.sealed, deadline)
  // A process that signs in or out at this moment may have changed the file and its key between the two reads.
  return found && 'problem' in found ? attemptToRead(place, place.files.sealed, deadline) : found
}

async function attemptToRead({ files: { directory, purpose }, key }: SealedPlace, path: string, deadline: Deadline) {
  const text = await readStoreFile({ directory, path }, deadline)
  if (text === undefined) return undefined
  return parseSealedSignIn(text, purpose, { value: await key.read(deadline), where: key.where })
}

/**
 * Finishes what a process was doing that was killed between writing a draft and renaming it: its refresh token may be the only one
 * that is still good. Only for the holder of the lock, and only for a draft that is whole, which its seal proves.
 */
export async function restoreDraft(place: SealedPlace, deadline: Deadline): Promise<void> {
  const { draft, sealed } = place.files
  const found = await attemptToRead(place, draft, deadline).catch(ignoreUnlessLate)
  if (found && !('problem' in found)) await deadline.during(`writing ${sealed}`, () => rename(draft, sealed))
}

/** What is no file of ours is removed by the next draft. */
function ignoreUnlessLate(error: unknown): undefined {
  if (error instanceof HelperError && error.kind !== 'late') return undefined
  throw error
}
