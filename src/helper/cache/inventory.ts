import { removeOutcomeFiles } from '../../outcomes/spool.ts'
import { attemptUnlessMissing } from '../../runtime/disk.ts'
import { openLock } from '../../runtime/files/file-lock.ts'
import { refuseSharedDirectory } from '../../runtime/files/private-files.ts'
import {
  type CacheFile,
  clearFile,
  isEntry,
  isMemo,
  listCacheFiles,
  toCacheFilePath,
  toLockPath,
} from './cache-files.ts'
import { type EntryOutline, readOutline } from './sealed-entry.ts'

/** A cache file with a token, for `gatepass cache list`. */
export interface CachedToken {
  readonly helper: string
  readonly path: string
  /** `undefined` if the file cannot be read, or if another version wrote it. */
  readonly entry: EntryOutline | undefined
  /** Whether the token is encrypted with a key from the system's keychain. */
  readonly isSealed: boolean
}

/** Lists the cached tokens, sorted by helper and then by the time of the mint; empty if the directory does not exist. */
export async function listCachedTokens(directory: string): Promise<CachedToken[]> {
  const entries = (await listFiles(directory)).filter(({ kind }) => isEntry(kind))
  const tokens = await Promise.all(entries.map(readCachedToken))
  return tokens.sort(
    (a, b) =>
      a.helper.localeCompare(b.helper) || (a.entry?.minted ?? 0) - (b.entry?.minted ?? 0) || (a.path < b.path ? -1 : 1),
  )
}

/**
 * Overwrites and removes the tokens, the drafts and notes of killed runs, and the records of used assertions: those of one helper, or
 * without `helper` those of all. Without `helper` it also removes the outcomes that were not sent, which all helpers keep in one spool.
 * @returns how many tokens were removed.
 * @throws {UnsafeCacheError} for a directory in which another user can create files, or the system's error.
 */
export async function clearCachedTokens(directory: string, helper?: string): Promise<number> {
  const files = (await listFiles(directory)).filter(
    ({ location }) => helper === undefined || location.program === helper,
  )
  const entries = files.filter(({ kind }) => isEntry(kind))
  for (const file of entries) await clearFile(toCacheFilePath(file.location, file.kind))
  for (const file of files.filter(({ kind }) => !isEntry(kind) && kind !== 'lock')) await clearUnderLock(file)
  if (helper === undefined) await attemptUnlessMissing(removeOutcomeFiles(directory))
  return entries.length
}

/**
 * Overwrites and removes the tokens of one helper. Its records of used assertions stay, so that no assertion is sent twice.
 * @throws as {@link clearCachedTokens} does.
 */
export async function removeCachedTokens(directory: string, helper: string): Promise<void> {
  const files = await listFiles(directory)
  for (const { location, kind } of files)
    if (isEntry(kind) && location.program === helper) await clearFile(toCacheFilePath(location, kind))
}

async function listFiles(directory: string): Promise<CacheFile[]> {
  const found = attemptUnlessMissing(refuseSharedDirectory(directory).then(() => listCacheFiles(directory)))
  return (await found) ?? [] // a directory that is missing holds nothing
}

async function readCachedToken({ location, kind }: CacheFile): Promise<CachedToken> {
  const isSealed = kind === 'sealed'
  // A file that cannot be read is listed too, because it may contain a token.
  const entry = await readOutline(location, isSealed ? 'sealed' : 'entry').catch(() => undefined)
  return { helper: location.program, path: toCacheFilePath(location, kind), entry, isSealed }
}

/** Overwrites and removes a file, unless a running process holds the file's lock and is about to write it. */
async function clearUnderLock(file: CacheFile): Promise<void> {
  if (isMemo(file.kind)) return clearFile(toCacheFilePath(file.location, file.kind))
  const lock = await openLock(toLockPath(file))
  try {
    if (await lock.tryAcquire()) await clearFile(toCacheFilePath(file.location, file.kind))
  } finally {
    await lock.release()
  }
}
