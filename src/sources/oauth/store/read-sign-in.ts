import { rename } from 'node:fs/promises'
import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { parseSealedSignIn } from './sealed-sign-in.ts'
import { readStoreFile } from './sealing/private-files.ts'
import { parseSealedFile } from './sealing/sealed-file.ts'
import type { KeyName, SealedPlace } from './sealing/sealed-place.ts'
import type { StoredSignIn } from './sign-in-store.ts'

/** What a sealed file holds, or what is wrong with it, as the end of a sentence about the file. */
export type SealedContent = KeptSignIn | { readonly keyName: KeyName; readonly problem: string }

/** A sign-in, and where the key is that has sealed it. */
export interface KeptSignIn {
  readonly keyName: KeyName
  readonly signIn: StoredSignIn
}

/**
 * Reads a sealed sign-in; `undefined` where there is none.
 * @throws {HelperError} `not-configured` where it cannot be read, or another user could have written it; what the key throws; `late`.
 */
export async function readSealedSignIn(place: SealedPlace, deadline: Deadline): Promise<SealedContent | undefined> {
  const found = await attemptToRead(place, place.files.sealed, deadline)
  // A process that signs in or out at this moment may have changed the file and its key between the two reads.
  return found && 'problem' in found ? attemptToRead(place, place.files.sealed, deadline) : found
}

async function attemptToRead(place: SealedPlace, path: string, deadline: Deadline): Promise<SealedContent | undefined> {
  const { directory, purpose } = place.files
  const text = await readStoreFile({ directory, path }, deadline)
  if (text === undefined) return undefined
  const keyName = parseSealedFile(text)?.keyName ?? 'file'
  const key = await readKey(place, keyName, deadline)
  if (typeof key === 'string') return { keyName, problem: key }
  const parsed = parseSealedSignIn(text, purpose, key)
  return 'problem' in parsed ? { keyName, ...parsed } : { keyName, signIn: parsed }
}

/** Where the key has not to be any more, and that place cannot be used, this is what is wrong with the file. */
async function readKey(place: SealedPlace, name: KeyName, deadline: Deadline) {
  const key = await place.openKey(name)
  try {
    return { value: await key.read(deadline), where: key.where }
  } catch (error) {
    if (name === place.keyName || !(error instanceof HelperError) || error.kind === 'late') throw error
    return `cannot be opened, because its key is ${key.where}, and ${error.message}`
  }
}

/**
 * Finishes what a process was doing that was killed between writing a draft and renaming it: its refresh token may be the only one
 * that is still good. Only for the holder of the lock, and only for a draft that is whole, which its seal proves.
 */
export async function restoreDraft(place: SealedPlace, deadline: Deadline): Promise<void> {
  const { draft, sealed } = place.files
  const found = await attemptToRead(place, draft, deadline).catch(ignoreUnlessLate)
  if (found && !('problem' in found)) await deadline.during('file', `writing ${sealed}`, () => rename(draft, sealed))
}

/** What is no file of ours is removed by the next draft. */
function ignoreUnlessLate(error: unknown): undefined {
  if (error instanceof HelperError && error.kind !== 'late') return undefined
  throw error
}
