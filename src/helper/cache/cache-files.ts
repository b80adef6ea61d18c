import { constants } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { safeOpenFlags } from '../../runtime/disk.ts'

/** The cache directory, the helper's name and the key: together they determine the paths of one key's files. */
export interface EntryLocation {
  readonly directory: string
  readonly program: string
  readonly key: string
}

/** The kinds of files that one key can have, each with the ending of its name. */
const cacheFileKinds = {
  /** The token with its expiry, its facts and its headers. */
  entry: '.json',
  /** The entry, encrypted with a key from the system's keychain. */
  sealed: '.sealed',
  /** An entry that the holder of the lock is writing. */
  draft: '.tmp',
  lock: '.lock',
  /** Names the process that holds the lock, for messages. */
  note: '.holder',
  /** A used assertion (RFC 7523, section 3, jti); its key is a digest of the assertion. */
  used: '.used',
  /** An assertion that is being sent, or whose run ended before it learned whether the platform accepted the assertion. */
  sent: '.sent',
  /** The state of a sign-in, for the runs that wait for it. */
  'sign-in': '.signin',
  /** Touched by the runs that wait for a sign-in. */
  waiting: '.waiting',
  /** Asks the process of a sign-in to end. */
  stop: '.stop',
  /** The files and variables that a call read to compute its key; see `memo/call-memo.ts`. */
  memo: '.memo',
  'memo-draft': '.memodraft',
  /** The hand-outs: which processes of the client got the entry's token. */
  served: '.served',
} as const

/** Names a step at the token cache for the message of a call that was late during it. */
export function nameCacheStep(
  step: 'opening' | 'reading' | 'sweeping' | 'writing',
  { directory }: Pick<EntryLocation, 'directory'>,
): string {
  return `${step} the token cache in ${directory}`
}

/** A file in the cache directory: the key that it belongs to, and its kind. */
export interface CacheFile {
  readonly location: EntryLocation
  readonly kind: CacheFileKind
}

/** Returns the absolute path of a key's file of this kind. */
export function toCacheFilePath({ directory, program, key }: EntryLocation, kind: CacheFileKind): string {
  return join(directory, `${program}-${key}${cacheFileKinds[kind]}`)
}

type CacheFileKind = keyof typeof cacheFileKinds

/** Returns the path of the lock under which a file is written and removed. Used assertions share 256 locks, because locks are never removed. */
export function toLockPath({ location, kind }: CacheFile): string {
  return toCacheFilePath(isAssertionRecord(kind) ? { ...location, key: location.key.slice(0, 2) } : location, 'lock')
}

/** Returns whether a file of this kind holds a token. Removing one costs another mint. */
export function isEntry(kind: CacheFileKind): boolean {
  return kind === 'entry' || kind === 'sealed'
}

/**
 * Returns whether a file is a memo or the draft of one. Memos are written and removed without a lock, because losing one only makes the
 * next call slower.
 */
export function isMemo(kind: CacheFileKind): boolean {
  return kind === 'memo' || kind === 'memo-draft'
}

export function isAssertionRecord(kind: CacheFileKind): boolean {
  return kind === 'used' || kind === 'sent'
}

/** Lists the files of every helper in the cache directory. @throws the system's error, for example `ENOENT`. */
export async function listCacheFiles(directory: string): Promise<CacheFile[]> {
  return (await readdir(directory)).flatMap((name) => parseCacheFile(directory, name) ?? [])
}

/** Parses the name of a file in the cache directory; `undefined` for a file that no helper wrote. */
function parseCacheFile(directory: string, name: string): CacheFile | undefined {
  const [, program, key, ending] = /^(.+)-([0-9a-z]+)(\.[a-z]+)$/.exec(name) ?? []
  const kind = Object.entries(cacheFileKinds).find(([, known]) => known === ending)?.[0]
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
