import { fstatSync, readFileSync } from 'node:fs'
import { readWith, safeOpenFlags } from '../../runtime/disk.ts'
import { type EntryLocation, refuseDirectory, refuseFile, toCacheFilePath, UnsafeCacheError } from './directory.ts'
import { parseEntry, type TokenEntry } from './entry.ts'

/**
 * Reads an entry; `undefined` where there is none.
 * @throws {UnsafeCacheError} for a file that somebody else could have made or that is no entry, or the system's error.
 */
export async function readEntry(place: EntryLocation): Promise<TokenEntry | undefined> {
  const path = toCacheFilePath(place, 'entry')
  try {
    await refuseDirectory(place.directory)
    const entry = parseEntry(await readCarefully(path))
    if (!entry) throw new UnsafeCacheError(`${path} is no entry of this version; it is replaced by the next token`)
    return entry
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Reads a file of the cache: never through a link, and never waiting for the other end of a pipe.
 * @throws {UnsafeCacheError}, or the system's error.
 */
export async function readCarefully(path: string): Promise<string> {
  try {
    return await readWith(path, safeOpenFlags, (file) => {
      refuseFile(path, fstatSync(file))
      return readFileSync(file, 'utf8')
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      throw new UnsafeCacheError(`${path} is a link (run: rm '${path}')`)
    throw error
  }
}
