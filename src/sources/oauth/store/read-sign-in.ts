import { rename } from 'node:fs/promises'
import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { readStoreFile } from './private-files.ts'
import { parseSealedFile } from './sealed-file.ts'
import type { KeyName, SealedLocation } from './sealed-location.ts'
import { parseSealedSignIn } from './sealed-sign-in.ts'
import type { StoredSignIn } from './sign-in-store.ts'

/** A stored sign-in, and the location of its key. */
export interface KeptSignIn {
  readonly keyName: KeyName
  readonly signIn: StoredSignIn
}

/**
 * Reads an encrypted sign-in; `undefined` if there is none.
 * @throws {HelperError} `not-configured` if it cannot be read, or another user could have written it; the failure of the key; `late`.
 */
export async function readSealedSignIn(
  location: SealedLocation,
  deadline: Deadline,
): Promise<SealedContent | undefined> {
  const found = await attemptToRead(location, location.files.sealed, deadline)
  // Both files are read again, because a process that is signing in or out may have changed them between the two reads.
  return found && 'problem' in found ? attemptToRead(location, location.files.sealed, deadline) : found
}

/** The sign-in in an encrypted file, or the file's problem, as the end of a sentence about the file. */
type SealedContent = KeptSignIn | { readonly keyName: KeyName; readonly problem: string }

async function attemptToRead(
  location: SealedLocation,
  path: string,
  deadline: Deadline,
): Promise<SealedContent | undefined> {
  const { directory, purpose } = location.files
  const text = await readStoreFile({ directory, path }, deadline)
  if (text === undefined) return undefined
  const keyName = parseSealedFile(text)?.keyName ?? 'file'
  const key = await readKey(location, keyName, deadline)
  if (typeof key === 'string') return { keyName, problem: key }
  const parsed = parseSealedSignIn(text, purpose, key)
  return 'problem' in parsed ? { keyName, ...parsed } : { keyName, signIn: parsed }
}

/** Reads the key. If its location is no longer configured and cannot be used, the problem is returned as text. */
async function readKey(location: SealedLocation, name: KeyName, deadline: Deadline) {
  const key = await location.openKey(name)
  try {
    return { value: await key.read(deadline), where: key.where }
  } catch (error) {
    if (name === location.keyName || !(error instanceof HelperError) || error.kind === 'late') throw error
    return `cannot be opened, because its key is ${key.where}, and ${error.message}`
  }
}

/**
 * Completes the work of a process that was killed between writing a draft and renaming it: the draft may hold the only valid refresh token.
 * The caller must hold the lock. Only a complete draft is used, which its authentication tag shows.
 */
export async function restoreDraft(location: SealedLocation, deadline: Deadline): Promise<void> {
  const { draft, sealed } = location.files
  const found = await attemptToRead(location, draft, deadline).catch(acceptUnlessLate)
  if (found && !('problem' in found)) await deadline.during('file', `writing ${sealed}`, () => rename(draft, sealed))
}

/** Ignores the failure of reading a draft, which the next one replaces. */
function acceptUnlessLate(error: unknown): undefined {
  if (error instanceof HelperError && error.kind !== 'late') return undefined
  throw error
}
