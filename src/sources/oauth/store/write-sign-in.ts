import type { Deadline } from '../../../runtime/deadline.ts'
import { renderSealedSignIn } from './sealed-sign-in.ts'
import { removeStoreFiles, writeStoreFile } from './sealing/private-files.ts'
import { prepareKey, type SealedPlace } from './sealing/sealed-place.ts'
import type { StoredSignIn } from './sign-in-store.ts'

/** What a sign-in is written over. */
interface Writing {
  readonly sealed: SealedPlace
  readonly replaced: StoredSignIn | undefined
  readonly deadline: Deadline
}

/**
 * Writes a sign-in in place of the one that is kept. Where that fails, as on a full disk, a renewed one takes the room of the one
 * before: a refresh token that was used must not be sent again, because the provider may then end the whole sign-in (RFC 9700,
 * section 4.14.2).
 * @throws {HelperError} `not-configured` where it cannot be kept; `late`.
 */
export async function writeSignIn(
  signIn: StoredSignIn,
  { sealed, replaced, deadline }: Writing,
): Promise<StoredSignIn> {
  const { files, keyName, openKey } = sealed
  const target = { path: files.sealed, draft: files.draft }
  const key = await openKey(keyName)
  const value = (await key.read(deadline)) ?? (await key.create(deadline))
  const text = renderSealedSignIn(signIn, files.purpose, { value, name: keyName })
  try {
    await writeStoreFile(target, text, deadline)
  } catch (error) {
    if (!isUsedUp(replaced, signIn)) throw error
    await removeStoreFiles([files.sealed], deadline)
    await writeStoreFile(target, text, deadline)
  }
  return signIn
}

/** Whether the provider has issued another refresh token in its place. */
function isUsedUp(replaced: StoredSignIn | undefined, signIn: StoredSignIn): boolean {
  const [before, after] = [replaced, signIn].map((each) => each?.tokens.refreshToken?.reveal())
  return replaced?.id === signIn.id && before !== after
}

/** Longer than any sign-in that we know, in bytes. */
const roomBytes = 32_768

/**
 * Makes sure that there is a key, and room for a sign-in. Only for the holder of the lock.
 * @throws {HelperError} `not-configured` where it cannot be kept; `late`.
 */
export async function checkRoom(place: SealedPlace, deadline: Deadline): Promise<void> {
  await prepareKey(place, deadline)
  const { files } = place
  // Written as a draft and named as one, so that the next writer removes what a killed process leaves.
  const target = { path: files.draft, draft: files.draft }
  await writeStoreFile(target, ' '.repeat(roomBytes), deadline)
  await removeStoreFiles([files.draft], deadline)
}
