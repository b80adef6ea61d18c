import { mkdir, open, rename, rm } from 'node:fs/promises'
import { noHome } from '../../runtime/host.ts'
import { type EntryLocation, refuseDirectory, toCacheFilePath, UnsafeCacheError } from './directory.ts'
import { renderEntry, type TokenEntry } from './entry.ts'

/**
 * Makes the cache's directory for the user alone, and names it.
 * @throws {UnsafeCacheError} when one that is there is not.
 */
export async function prepareDirectory(directory: string): Promise<string> {
  // Not even by whoever may make a directory anywhere.
  if (directory.startsWith(`${noHome}/`)) throw new UnsafeCacheError('no home directory is known (set HOME to one)')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await refuseDirectory(directory)
  return directory
}

/**
 * Writes an entry beside its target and renames it, so that a concurrent reader sees the old entry or the new one. Only
 * for whoever has the lock of the key: a draft that is there was left by somebody who died.
 * @throws the system's error, for example `ENOSPC`; nothing half-written is left then.
 */
export async function writeEntry(place: EntryLocation, entry: TokenEntry): Promise<void> {
  const draft = toCacheFilePath(place, 'draft')
  try {
    await rm(draft, { force: true })
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(renderEntry(entry)).finally(() => file.close())
    await rename(draft, toCacheFilePath(place, 'entry'))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
