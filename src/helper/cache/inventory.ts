import { constants } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { type CacheFile, parseCacheFile, refuseDirectory, toCacheFilePath, toLockPath } from './directory.ts'
import type { TokenEntry } from './entry.ts'
import { openLock } from './entry-lock.ts'
import { readEntry } from './read-entry.ts'

/** One file of the cache that holds a token. */
export interface CachedToken {
  readonly helper: string
  readonly path: string
  /** `undefined` for a file that cannot be read, or not by this version. */
  readonly entry: TokenEntry | undefined
}

/**
 * Lists what is kept, by helper and then by when it was minted; nothing where there is no cache yet.
 * @throws {CacheRefusal} for a directory that somebody else could have filled, or the system's error.
 */
export async function listCachedTokens(directory: string): Promise<CachedToken[]> {
  const entries = (await listFiles(directory)).filter(({ kind }) => kind === 'entry')
  const kept = await Promise.all(entries.map(toKeptToken))
  return kept.sort(
    (a, b) =>
      a.helper.localeCompare(b.helper) || (a.entry?.minted ?? 0) - (b.entry?.minted ?? 0) || (a.path < b.path ? -1 : 1),
  )
}

/**
 * Overwrites and then removes the tokens of one helper, or of all, what killed runs left of theirs, and what is remembered
 * of used tokens.
 * @returns how many tokens there were.
 * @throws {CacheRefusal} for a directory that somebody else could have filled, or the system's error.
 */
export async function clearCachedTokens(directory: string, helper?: string): Promise<number> {
  const files = (await listFiles(directory)).filter(({ place }) => helper === undefined || place.program === helper)
  const entries = files.filter(({ kind }) => kind === 'entry')
  for (const file of entries) await destroy(toCacheFilePath(file.place, file.kind))
  for (const file of files.filter(({ kind }) => kind !== 'entry' && kind !== 'lock')) await destroyUnderLock(file)
  return entries.length
}

async function listFiles(directory: string): Promise<CacheFile[]> {
  try {
    await refuseDirectory(directory)
    return (await readdir(directory)).flatMap((name) => parseCacheFile(directory, name) ?? [])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

async function toKeptToken({ place }: CacheFile): Promise<CachedToken> {
  // What cannot be read is listed all the same, because it may hold a token.
  const entry = await readEntry(place).catch(() => undefined)
  return { helper: place.program, path: toCacheFilePath(place, 'entry'), entry }
}

/** What a run at work is about to keep is its own; without its lock it is nobody's. */
async function destroyUnderLock(file: CacheFile): Promise<void> {
  const lock = await openLock(toLockPath(file))
  try {
    if (lock.attempt()) await destroy(toCacheFilePath(file.place, file.kind))
  } finally {
    lock.release()
  }
}

/** Removes a file whose content was overwritten in its place; of a link or a pipe nothing but the name. */
async function destroy(path: string): Promise<void> {
  await overwrite(path).catch(() => undefined) // it may not be written to, and can still be removed
  await rm(path, { force: true, recursive: true })
}

async function overwrite(path: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const { size } = await file.stat()
    await file.write(Buffer.alloc(size), 0, size, 0)
    await file.datasync()
  } finally {
    await file.close()
  }
}
