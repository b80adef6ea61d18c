import { constants } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { safeOpenFlags } from '../../runtime/disk.ts'
import { openLock } from '../../runtime/private/file-lock.ts'
import { refuseSharedDirectory } from '../../runtime/private/owner.ts'
import { type CacheFile, isMemo, parseCacheFile, toCacheFilePath, toLockPath } from './directory.ts'
import type { TokenEntry } from './entry.ts'
import { readEntry } from './read-entry.ts'

/** One file of the cache that contains a token. */
export interface CachedToken {
  readonly helper: string
  readonly path: string
  /** `undefined` for a file that cannot be read, or is of another version. */
  readonly entry: TokenEntry | undefined
}

/**
 * Lists the cached tokens, by helper and then by the time of minting; empty where there is no cache yet.
 * @throws {UnsafeCacheError} for a directory in which another user can create files, or the system's error.
 */
export async function listCachedTokens(directory: string): Promise<CachedToken[]> {
  const entries = (await listFiles(directory)).filter(({ kind }) => kind === 'entry')
  const tokens = await Promise.all(entries.map(toCachedToken))
  return tokens.sort(
    (a, b) =>
      a.helper.localeCompare(b.helper) || (a.entry?.minted ?? 0) - (b.entry?.minted ?? 0) || (a.path < b.path ? -1 : 1),
  )
}

/**
 * Overwrites and removes the tokens of one helper, or of all, what killed runs have left, and the records of used assertions.
 * @returns how many tokens there were.
 * @throws {UnsafeCacheError} for a directory in which another user can create files, or the system's error.
 */
export async function clearCachedTokens(directory: string, helper?: string): Promise<number> {
  const files = (await listFiles(directory)).filter(
    ({ location }) => helper === undefined || location.program === helper,
  )
  const entries = files.filter(({ kind }) => kind === 'entry')
  for (const file of entries) await erase(toCacheFilePath(file.location, file.kind))
  for (const file of files.filter(({ kind }) => kind !== 'entry' && kind !== 'lock')) await eraseUnderLock(file)
  return entries.length
}

/**
 * Overwrites and removes the tokens of one helper, and leaves its records of used assertions.
 * @throws {UnsafeCacheError} for a directory in which another user can create files, or the system's error.
 */
export async function removeCachedTokens(directory: string, helper: string): Promise<void> {
  const files = await listFiles(directory)
  for (const { location, kind } of files)
    if (kind === 'entry' && location.program === helper) await erase(toCacheFilePath(location, kind))
}

async function listFiles(directory: string): Promise<CacheFile[]> {
  try {
    await refuseSharedDirectory(directory)
    return (await readdir(directory)).flatMap((name) => parseCacheFile(directory, name) ?? [])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

async function toCachedToken({ location }: CacheFile): Promise<CachedToken> {
  // A file that cannot be read is listed too, because it may contain a token.
  const entry = await readEntry(location).catch(() => undefined)
  return { helper: location.program, path: toCacheFilePath(location, 'entry'), entry }
}

/** Erases a file, unless a running process holds its lock and is about to write it. */
async function eraseUnderLock(file: CacheFile): Promise<void> {
  if (isMemo(file.kind)) return erase(toCacheFilePath(file.location, file.kind))
  const lock = await openLock(toLockPath(file))
  try {
    if (await lock.tryAcquire()) await erase(toCacheFilePath(file.location, file.kind))
  } finally {
    await lock.release()
  }
}

/** Overwrites the content of a file and removes it. Of a link or a pipe only the name is removed. */
async function erase(path: string): Promise<void> {
  await overwrite(path).catch(() => undefined) // a file that cannot be written can still be removed
  await rm(path, { force: true, recursive: true })
}

async function overwrite(path: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | safeOpenFlags)
  try {
    const { size } = await file.stat()
    await file.write(Buffer.alloc(size), 0, size, 0)
    await file.datasync()
  } finally {
    await file.close()
  }
}
