import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { CacheRefusal, cacheFilePath, type EntryPlace, refuseDirectory, refuseFile } from './cache-directory.ts'
import { parseEntry, renderEntry, type TokenEntry } from './token-entry.ts'

/**
 * Reads an entry; `undefined` where there is none.
 * @throws {CacheRefusal} for a file that somebody else could have made or that is no entry, or the system's error.
 */
export async function readEntry(place: EntryPlace): Promise<TokenEntry | undefined> {
  const path = cacheFilePath(place, 'entry')
  try {
    await refuseDirectory(place.directory)
    const entry = parseEntry(await readCarefully(path))
    if (!entry) throw new CacheRefusal(`${path} is no entry of this version; it is replaced by the next token`)
    return entry
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Writes an entry beside its target and renames it, so that a concurrent reader sees the old entry or the new one. Only
 * for whoever has the lock of the key: a draft that is there was left by somebody who died.
 * @throws the system's error, for example `ENOSPC`; nothing half-written is left then.
 */
export async function writeEntry(place: EntryPlace, entry: TokenEntry): Promise<void> {
  const draft = cacheFilePath(place, 'draft')
  try {
    await rm(draft, { force: true })
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(renderEntry(entry)).finally(() => file.close())
    await rename(draft, cacheFilePath(place, 'entry'))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Reads a file of the cache. @throws {CacheRefusal}, or the system's error. */
export async function readCarefully(path: string): Promise<string> {
  const file = await openCarefully(path)
  try {
    refuseFile(path, await file.stat())
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** Never follows a link, and never waits for the other end of a pipe. */
async function openCarefully(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      throw new CacheRefusal(`${path} is a link (run: rm '${path}')`)
    throw error
  }
}
