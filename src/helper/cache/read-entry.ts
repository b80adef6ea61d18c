import { readOpenFile, readOpenStatus, readWith, safeOpenFlags } from '../../runtime/disk.ts'
import {
  type EntryLocation,
  refuseSharedDirectory,
  refuseSharedFile,
  toCacheFilePath,
  UnsafeCacheError,
} from './directory.ts'
import { parseEntry, type TokenEntry } from './entry.ts'

/**
 * Reads an entry; `undefined` where there is none.
 * @throws {UnsafeCacheError} for a file that another user could have created or that is no entry, or the system's error.
 */
export async function readEntry(location: EntryLocation): Promise<TokenEntry | undefined> {
  const path = toCacheFilePath(location, 'entry')
  try {
    const file = readCacheFile(path)
    file.catch(() => undefined) // a problem with the directory is reported first
    await refuseSharedDirectory(location.directory)
    const entry = parseEntry(await file)
    if (!entry) throw new UnsafeCacheError(`${path} is no entry of this version; it is replaced by the next token`)
    return entry
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
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
      throw new UnsafeCacheError(`${path} is a link (run: rm '${path}')`)
    throw error
  }
}
