import type { Stats } from 'node:fs'
import { readLinkStatus, readOpenFile, readOpenStatus, readWith, safeOpenFlags } from '../disk.ts'
import { findEffectiveUser } from '../host.ts'
import { quoteWord } from '../text/quote.ts'

/** Another user could have created the cache, or can change it. */
export class UnsafeCacheError extends Error {}

/**
 * Refuses a directory in which another user can create files.
 * @throws {UnsafeCacheError}, or the system's error, for example `ENOENT`.
 */
export async function refuseSharedDirectory(directory: string): Promise<void> {
  const status = await readLinkStatus(directory)
  refuseShared(directory, status)
  if (!status.isDirectory()) throw new UnsafeCacheError(`${directory} is not a directory`)
}

/**
 * Refuses everything except a regular file that only this user can have created and can change.
 * @throws {UnsafeCacheError}
 */
export function refuseSharedFile(path: string, status: Stats): void {
  refuseShared(path, status)
  if (!status.isFile()) throw new UnsafeCacheError(`${path} is not a regular file (run: rm ${quoteWord(path)})`)
}

/** Windows has no mode bits; there the access list of the user's profile protects the directory. */
function refuseShared(path: string, status: Stats): void {
  if (status.isSymbolicLink()) throw new UnsafeCacheError(`${path} is a link (run: rm ${quoteWord(path)})`)
  const user = findEffectiveUser()
  if (user === undefined) return
  if (status.uid !== user)
    throw new UnsafeCacheError(`${path} belongs to another user (see: ls -ld ${quoteWord(path)})`)
  if ((status.mode & 0o022) !== 0)
    throw new UnsafeCacheError(`${path} can be written by other users (run: chmod go-w ${quoteWord(path)})`)
}

/**
 * Reads a file of the cache, never through a link, and never waiting for the other end of a pipe.
 * @throws {UnsafeCacheError}, or the system's error.
 */
export async function readCacheFile(path: string): Promise<string> {
  try {
    return await readWith(path, safeOpenFlags, async (file) => {
      const status = await readOpenStatus(file)
      refuseSharedFile(path, status)
      return readOpenFile(file, status.size)
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      throw new UnsafeCacheError(`${path} is a link (run: rm ${quoteWord(path)})`)
    throw error
  }
}
