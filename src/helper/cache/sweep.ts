import { readdir, rm } from 'node:fs/promises'
import { type CacheFile, parseCacheFile, toCacheFilePath, toLockPath } from './directory.ts'
import { parseEnd } from './entry.ts'
import { openLock } from './entry-lock.ts'
import { readCarefully } from './read-entry.ts'

/** How many files one run looks at, so that a full directory costs it no more than this. */
const mostFiles = 64

/**
 * Removes what has ended, of any helper and any version: expired entries, the memory of used tokens that have ended
 * since, and drafts and notes of processes that were killed. Lock files stay. In a directory of very many files a part is looked at, another one each time.
 * @param open Opens the lock of a file that has ended; a test lets another process come first here.
 */
export async function sweepCache(directory: string, now: number, open = openLock): Promise<void> {
  const found = (await readdir(directory)).flatMap((name) => parseCacheFile(directory, name) ?? [])
  const candidates = found.filter(({ kind }) => kind !== 'lock')
  const start = Math.floor(Math.random() * candidates.length)
  const some = [...candidates.slice(start), ...candidates.slice(0, start)].slice(0, mostFiles)
  const ended = await Promise.all(some.map(async (file) => ((await hasEnded(file, now)) ? [file] : [])))
  // One by one, because several may be of one key and need its lock.
  for (const file of ended.flat()) await removeUnderLock(file, now, open)
}

/** Only whoever has the lock has a draft or a note, so that under the lock both are leftovers; so is a torn memory. */
async function hasEnded({ place, kind }: CacheFile, now: number): Promise<boolean> {
  if (kind !== 'entry' && kind !== 'used') return true
  try {
    const end = parseEnd(await readCarefully(toCacheFilePath(place, kind)))
    return end === undefined ? kind === 'used' : end <= now
  } catch {
    return false // it vanished, or cannot be read: whoever needs it says so
  }
}

/** Whoever has the lock may be about to put a new entry in the place of an old one; that one must not be removed. */
async function removeUnderLock(file: CacheFile, now: number, open: typeof openLock): Promise<void> {
  const lock = await open(toLockPath(file)).catch(() => undefined)
  try {
    if (lock?.attempt() && (await hasEnded(file, now)))
      await rm(toCacheFilePath(file.place, file.kind), { force: true })
  } catch {
    // Nothing is lost: the next one to sweep comes by it again.
  } finally {
    lock?.release()
  }
}
