import { refuseSharedDirectory, UnsafeCacheError } from '../../runtime/private/owner.ts'
import { readCacheFile } from '../../runtime/private/read-cache-file.ts'
import { type EntryLocation, toCacheFilePath } from './directory.ts'
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
