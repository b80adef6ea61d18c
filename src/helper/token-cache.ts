import { randomUUID } from 'node:crypto'
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { effectiveUser, type Host } from '../runtime/host.ts'
import { parseEntry, renderEntry, type TokenEntry } from './token-entry.ts'

/** Where a helper's tokens are kept, per user, in the directory that the platform means for what can be made again. */
export function cacheDirectory({ env, home, platform }: Pick<Host, 'env' | 'home' | 'platform'>): string {
  switch (platform) {
    case 'win32':
      return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'Gatepass', 'Cache')
    case 'darwin':
      return join(home, 'Library', 'Caches', 'Gatepass')
    default:
      return join(env.XDG_CACHE_HOME || join(home, '.cache'), 'gatepass')
  }
}

/** The entry's file of one key. */
export function entryPath(directory: string, program: string, key: string): string {
  return join(directory, `${program}-${key}.json`)
}

/**
 * Reads an entry. `undefined` where there is none, or none that can be understood.
 * @throws the system's error when the file is there and cannot be read, or a {@link CacheRefusal}.
 */
export async function readEntry(path: string): Promise<TokenEntry | undefined> {
  try {
    await refuseIfShared(dirname(path))
    await refuseIfShared(path)
    return parseEntry(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Writes an entry beside its target and renames it, so that a concurrent reader sees the old entry or the new one.
 * @throws the system's error, for example `ENOSPC`, or a {@link CacheRefusal}; nothing half-written is left then.
 */
export async function writeEntry(directory: string, path: string, entry: TokenEntry): Promise<void> {
  await prepareDirectory(directory)
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(renderEntry(entry)).finally(() => file.close())
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/**
 * Makes the cache's directory for the user alone.
 * @throws {CacheRefusal} when one that is there is not.
 */
export async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await refuseIfShared(directory)
}

/** Drafts of processes that were killed while they wrote are swept after this long. */
const abandonedAfterMs = 10 * 60_000

/** Removes what has ended: expired entries of any helper, and drafts that nobody will rename any more. */
export async function sweepExpired(directory: string, now: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    if (name.endsWith('.tmp') && now - (await stat(path)).mtimeMs > abandonedAfterMs) await rm(path, { force: true })
    if (!name.endsWith('.json')) continue
    const entry = await readEntry(path)
    if (entry && entry.expiresAt <= now) await rm(path, { force: true })
  }
}

/** The cache is there, and somebody else could have put it there. */
export class CacheRefusal extends Error {}

/**
 * Refuses a file or directory that somebody else could have made or can change.
 * On Windows the profile's own access list protects the directory; there are no mode bits to look at.
 * @throws {CacheRefusal}
 */
async function refuseIfShared(path: string): Promise<void> {
  const { mode, uid } = await lstat(path)
  if ((mode & 0o170000) === 0o120000) throw new CacheRefusal(`${path} is a link`)
  const user = effectiveUser()
  if (user === undefined) return
  if (uid !== user) throw new CacheRefusal(`${path} belongs to another user`)
  if ((mode & 0o022) !== 0) throw new CacheRefusal(`${path} can be written by other users (run: chmod go-w '${path}')`)
}
