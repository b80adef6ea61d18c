import { mkdir, open, rename, rm } from 'node:fs/promises'
import { noHome } from '../../runtime/host.ts'
import { type EntryLocation, refuseSharedDirectory, toCacheFilePath, UnsafeCacheError } from './directory.ts'
import { renderEntry, type TokenEntry } from './entry.ts'

/**
 * Creates the cache's directory for this user alone, and returns its path.
 * @throws {UnsafeCacheError} for an existing directory that is not this user's alone.
 */
export async function createCacheDirectory(directory: string): Promise<string> {
  // Refused for root too, who could create it.
  if (directory.startsWith(`${noHome}/`)) throw new UnsafeCacheError('no home directory is known (set HOME to one)')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await refuseSharedDirectory(directory)
  return directory
}

/**
 * Writes an entry beside its target and renames it, so that a concurrent reader sees the old entry or the new one. Only for
 * the holder of the key's lock: an existing draft was left by a process that died.
 * @throws the system's error, for example `ENOSPC`; no partial file is left then.
 */
export async function writeEntry(location: EntryLocation, entry: TokenEntry): Promise<void> {
  const draft = toCacheFilePath(location, 'draft')
  try {
    await rm(draft, { force: true })
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(renderEntry(entry)).finally(() => file.close())
    await rename(draft, toCacheFilePath(location, 'entry'))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
