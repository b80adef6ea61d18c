import { createCacheDirectory } from '../../runtime/private/create-cache.ts'
import { locateCacheDirectory } from '../../runtime/private/locate-cache.ts'
import { UnsafeCacheError } from '../../runtime/private/owner.ts'
import type { SignInFlow } from './flow.ts'
import type { SignInParts } from './parts.ts'
import { isHeld } from './progress/locks.ts'
import { locateSignInFiles, type SignInFiles } from './progress/sign-in-files.ts'

/** Makes sure that the files of a sign-in can be used; `undefined` where they cannot, which is a warning. */
export async function openFiles(flow: SignInFlow, { host, call }: SignInParts): Promise<SignInFiles | undefined> {
  try {
    const files = locateSignInFiles(await createCacheDirectory(locateCacheDirectory(host)), flow.id)
    await isHeld(files.lock)
    return files
  } catch (error) {
    const { code, errstr } = error as NodeJS.ErrnoException & { errstr?: string } // the latter of SQLite
    const reason = error instanceof UnsafeCacheError ? error.message : (errstr ?? code)
    call.warn(`cannot use the token cache: ${reason}; this run signs in by itself, and the sign-in ends with it`)
    return undefined
  }
}
