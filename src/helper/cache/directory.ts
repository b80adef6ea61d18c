import type { Stats } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { readLinkStatus } from '../../runtime/disk.ts'
import { findEffectiveUser, type Host } from '../../runtime/host.ts'

/** Where a helper's tokens are kept, per user, in the directory that the platform means for what can be made again. */
export function locateCacheDirectory({ env, home, platform }: Pick<Host, 'env' | 'home' | 'platform'>): string {
  switch (platform) {
    case 'win32':
      return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'Gatepass', 'Cache')
    case 'darwin':
      return join(home, 'Library', 'Caches', 'Gatepass')
    default:
      // The specification of that variable has a relative path ignored.
      return join(isAbsolute(env.XDG_CACHE_HOME ?? '') ? env.XDG_CACHE_HOME! : join(home, '.cache'), 'gatepass')
  }
}

/** One key's place in the cache. */
export interface EntryLocation {
  readonly directory: string
  readonly program: string
  readonly key: string
}

/** The files of one key. */
export const cacheFileKinds = {
  /** The token with what is known of it. */
  entry: '.json',
  /** An entry that is being written. Only whoever has the lock writes one. */
  draft: '.tmp',
  lock: '.lock',
  /** Who has the lock, for messages. */
  note: '.holder',
  /** That a token was used up that may be used once; its key is a digest of that token. */
  used: '.used',
} as const

export type CacheFileKind = keyof typeof cacheFileKinds

/** One file of the cache. */
export interface CacheFile {
  readonly place: EntryLocation
  readonly kind: CacheFileKind
}

/** The path of one of a key's files. */
export function toCacheFilePath({ directory, program, key }: EntryLocation, kind: CacheFileKind): string {
  return join(directory, `${program}-${key}${cacheFileKinds[kind]}`)
}

/** The path of the lock under which a file is written and removed. What is used up shares 256 locks, which are never removed. */
export function toLockPath({ place, kind }: CacheFile): string {
  return toCacheFilePath(kind === 'used' ? { ...place, key: place.key.slice(0, 2) } : place, 'lock')
}

/** What a file's name in the cache says; `undefined` for a file that is none of ours. */
export function parseCacheFile(directory: string, name: string): CacheFile | undefined {
  const [, program, key, ending] = /^(.+)-([0-9a-z]+)(\.[a-z]+)$/.exec(name) ?? []
  const kind = Object.entries(cacheFileKinds).find(([, own]) => own === ending)?.[0]
  if (program === undefined || key === undefined || kind === undefined) return undefined
  return { place: { directory, program, key }, kind: kind as CacheFileKind } // a key of the table above
}

/** The cache is there, and somebody else could have put it there. */
export class UnsafeCacheError extends Error {}

/**
 * Refuses a directory in which somebody else could have put a file.
 * @throws {UnsafeCacheError}, or the system's error, for example `ENOENT`.
 */
export async function refuseDirectory(directory: string): Promise<void> {
  const status = await readLinkStatus(directory)
  refuseIfShared(directory, status)
  if (!status.isDirectory()) throw new UnsafeCacheError(`${directory} is not a directory`)
}

/**
 * Refuses a file that somebody else could have made or can change, or that is none.
 * @throws {UnsafeCacheError}
 */
export function refuseFile(path: string, status: Stats): void {
  refuseIfShared(path, status)
  if (!status.isFile()) throw new UnsafeCacheError(`${path} is not a regular file (run: rm '${path}')`)
}

/** On Windows the profile's own access list protects the directory; there are no mode bits to look at. */
function refuseIfShared(path: string, status: Stats): void {
  if (status.isSymbolicLink()) throw new UnsafeCacheError(`${path} is a link (run: rm '${path}')`)
  const user = findEffectiveUser()
  if (user === undefined) return
  if (status.uid !== user) throw new UnsafeCacheError(`${path} belongs to another user (see: ls -ld '${path}')`)
  if ((status.mode & 0o022) !== 0)
    throw new UnsafeCacheError(`${path} can be written by other users (run: chmod go-w '${path}')`)
}
