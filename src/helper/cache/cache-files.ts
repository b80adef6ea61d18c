import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { safeOpenFlags } from '../../runtime/disk.ts'

/** The location of the files of one key. */
export interface EntryLocation {
  readonly directory: string
  readonly program: string
  readonly key: string
}

/** The problem in a warning that the token is not kept, or not found again. */
export const cacheProblem = 'cannot use the token cache'

/** The files of one key. */
const cacheFileKinds = {
  /** The token with what is known of it. */
  entry: '.json',
  /** The entry, sealed with a key of the keychain. */
  sealed: '.sealed',
  /** An entry that is being written, by the holder of the lock. */
  draft: '.tmp',
  lock: '.lock',
  /** Names the process that holds the lock, for messages. */
  note: '.holder',
  /** A used assertion (RFC 7523, section 3, jti); its key is a digest of the assertion. */
  used: '.used',
  /** An assertion that is being sent, or was by a run that did not learn whether that used it. */
  sent: '.sent',
  /** The state of a sign-in, for the runs that wait for it. */
  'sign-in': '.signin',
  /** Touched by the runs that wait for a sign-in. */
  waiting: '.waiting',
  /** Tells a sign-in that is under way to end. */
  stop: '.stop',
  /** The reads by which a call found its key. */
  memo: '.memo',
  'memo-draft': '.memodraft',
  /** Records the processes of a client that were given the entry. */
  served: '.served',
} as const

/** A file of the cache, by the entry that it belongs to. */
export interface CacheFile {
  readonly location: EntryLocation
  readonly kind: CacheFileKind
}

/** The path of one of a key's files. */
export function toCacheFilePath({ directory, program, key }: EntryLocation, kind: CacheFileKind): string {
  return join(directory, `${program}-${key}${cacheFileKinds[kind]}`)
}

type CacheFileKind = keyof typeof cacheFileKinds

/** The path of the lock under which a file is written and removed. Used assertions share 256 locks, because locks are never removed. */
export function toLockPath({ location, kind }: CacheFile): string {
  return toCacheFilePath(isAssertionRecord(kind) ? { ...location, key: location.key.slice(0, 2) } : location, 'lock')
}

/** Whether a file of this kind holds a token, so that its removal costs another mint. */
export function isEntry(kind: CacheFile['kind']): boolean {
  return kind === 'entry' || kind === 'sealed'
}

/** Whether a file is of a memo, which is written and removed without a lock. */
export function isMemo(kind: CacheFile['kind']): boolean {
  return kind === 'memo' || kind === 'memo-draft'
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

/** Overwrites the content of a file and removes it. A link or a pipe is only removed. */
export async function clearFile(path: string): Promise<void> {
  await writeOver(path).catch(() => undefined) // a file that cannot be written can still be removed
  await rm(path, { force: true, recursive: true })
}

async function writeOver(path: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | safeOpenFlags)
  try {
    const { size } = await file.stat()
    await file.write(Buffer.alloc(size), 0, size, 0)
    await file.datasync()
  } finally {
    await file.close()
  }
}
