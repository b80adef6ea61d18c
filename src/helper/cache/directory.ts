import type { Stats } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { readLinkStatus } from '../../runtime/disk.ts'
import { findEffectiveUser, type Host } from '../../runtime/host.ts'

/** The user's directory of cached tokens, where the platform keeps files that can be created again. */
export function locateCacheDirectory({ env, home, platform }: Pick<Host, 'env' | 'home' | 'platform'>): string {
  switch (platform) {
    case 'win32':
      return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'Gatepass', 'Cache')
    case 'darwin':
      return join(home, 'Library', 'Caches', 'Gatepass')
    default:
      // A relative path is ignored (XDG Base Directory Specification).
      return join(isAbsolute(env.XDG_CACHE_HOME ?? '') ? env.XDG_CACHE_HOME! : join(home, '.cache'), 'gatepass')
  }
}

/** Where the files of one key are. */
export interface EntryLocation {
  readonly directory: string
  readonly program: string
  readonly key: string
}

/** The files of one key. */
const cacheFileKinds = {
  /** The token with what is known of it. */
  entry: '.json',
  /** An entry that is being written, by the holder of the lock. */
  draft: '.tmp',
  lock: '.lock',
  /** Who holds the lock, for messages. */
  note: '.holder',
  /** A used assertion (RFC 7523, section 3, jti); its key is a digest of the assertion. */
  used: '.used',
  /** An assertion that is being sent, or was by a run that did not learn whether that used it. */
  sent: '.sent',
} as const

type CacheFileKind = keyof typeof cacheFileKinds

/** One file of the cache. */
export interface CacheFile {
  readonly location: EntryLocation
  readonly kind: CacheFileKind
}

/** The path of one of a key's files. */
export function toCacheFilePath({ directory, program, key }: EntryLocation, kind: CacheFileKind): string {
  return join(directory, `${program}-${key}${cacheFileKinds[kind]}`)
}

/** The path of the lock under which a file is written and removed. Used assertions share 256 locks, because locks are never removed. */
export function toLockPath({ location, kind }: CacheFile): string {
  return toCacheFilePath(isAssertionRecord(kind) ? { ...location, key: location.key.slice(0, 2) } : location, 'lock')
}

/** Whether a file records what happened to an assertion. */
export function isAssertionRecord(kind: CacheFile['kind']): boolean {
  return kind === 'used' || kind === 'sent'
}

/** Reads the name of a file in the cache; `undefined` for a file that is not ours. */
export function parseCacheFile(directory: string, name: string): CacheFile | undefined {
  const [, program, key, ending] = /^(.+)-([0-9a-z]+)(\.[a-z]+)$/.exec(name) ?? []
  const kind = Object.entries(cacheFileKinds).find(([, own]) => own === ending)?.[0]
  if (program === undefined || key === undefined || kind === undefined) return undefined
  return { location: { directory, program, key }, kind: kind as CacheFileKind } // a key of the table above
}

/** Another user could have created the cache, or can change it. */
export class UnsafeCacheError extends Error {}

/**
 * Refuses a directory in which another user can create files.
 * @throws {UnsafeCacheError}, or the system's error, for example `ENOENT`.
 */
export async function refuseSharedDirectory(directory: string): Promise<void> {
  const status = await readLinkStatus(directory)
  refuseShared(directory, status)
  if (!status.isDirectory()) throw new UnsafeCacheError(`${directory} is not a directory`)
}

/**
 * Refuses anything but a regular file that only this user can have created and can change.
 * @throws {UnsafeCacheError}
 */
export function refuseSharedFile(path: string, status: Stats): void {
  refuseShared(path, status)
  if (!status.isFile()) throw new UnsafeCacheError(`${path} is not a regular file (run: rm '${path}')`)
}

/** On Windows there are no mode bits, and the access list of the user's profile protects the directory. */
function refuseShared(path: string, status: Stats): void {
  if (status.isSymbolicLink()) throw new UnsafeCacheError(`${path} is a link (run: rm '${path}')`)
  const user = findEffectiveUser()
  if (user === undefined) return
  if (status.uid !== user) throw new UnsafeCacheError(`${path} belongs to another user (see: ls -ld '${path}')`)
  if ((status.mode & 0o022) !== 0)
    throw new UnsafeCacheError(`${path} can be written by other users (run: chmod go-w '${path}')`)
}
