import { readdir, rm } from 'node:fs/promises'
import { computeEarlyFraction, computeEarlyPauseMs, earlyRenewal, isTooSoon } from '../../contract/freshness.ts'
import { sweepOutcomeFiles } from '../../outcomes/spool.ts'
import { readLinkStatus } from '../../runtime/disk.ts'
import { openLock } from '../../runtime/files/file-lock.ts'
import { digestFingerprint } from '../../runtime/files/fingerprint.ts'
import { readCacheFile } from '../../runtime/files/private-files.ts'
import {
  type CacheFile,
  type EntryLocation,
  isAssertionRecord,
  isEntry,
  isMemo,
  parseCacheFile,
  toCacheFilePath,
  toLockPath,
} from './cache-files.ts'
import { parseExpiry } from './entry.ts'

/**
 * Removes what has expired, of any helper and any version: entries, records of used assertions, and drafts and notes of killed
 * processes, and forgotten outcomes. Lock files stay. In a directory with very many files a part is examined, beginning at a random one.
 */
export async function sweepCache(directory: string, now: number): Promise<void> {
  const found = (await readdir(directory)).flatMap((name) => parseCacheFile(directory, name) ?? [])
  const candidates = found.filter(({ kind }) => kind !== 'lock')
  const start = Math.floor(Math.random() * candidates.length)
  const some = [...candidates.slice(start), ...candidates.slice(0, start)].slice(0, maxFiles)
  const expired = await Promise.all(some.map(async (file) => ((await hasExpired(file, now)) ? [file] : [])))
  // One after the other, because several may belong to one key and need its lock.
  for (const file of expired.flat()) await removeUnderLock(file, now)
  await sweepOutcomeFiles(directory, now)
}

/** How many files one run examines at most, so that a full directory costs it no more. */
const maxFiles = 64

/** In milliseconds, how long a note may keep an early renewal from being tried. */
const longestNoteMs = computeEarlyPauseMs(1, earlyRenewal.longestPauseMs)

/**
 * Drafts and notes belong to the holder of the lock: when we hold it, they are leftovers. A note says that an early renewal came to
 * nothing as long as another one is too soon.
 */
async function hasExpired({ location, kind }: CacheFile, now: number): Promise<boolean> {
  const path = toCacheFilePath(location, kind)
  try {
    if (kind === 'memo-draft') return (await readLinkStatus(path)).mtimeMs + longestMemoWriteMs <= now
    if (kind === 'served') return (await readLinkStatus(path)).mtimeMs + longestQuietMs <= now
    if (kind === 'note') return !isTooSoon((await readLinkStatus(path)).mtimeMs, now, longestNoteMs)
    if (!hasExpiry(kind)) return true
    const expiry = parseExpiry(await readCacheFile(path))
    if (expiry !== undefined) return expiry <= now
    // A full disk left the record empty.
    return isAssertionRecord(kind) && (await readLinkStatus(path)).mtimeMs + longestAssertionLifeMs <= now
  } catch {
    return false // it has vanished, or cannot be read, which the run that needs it reports
  }
}

/** Whether the time at which a file may be removed stands in it. */
function hasExpiry(kind: CacheFile['kind']): boolean {
  return isEntry(kind) || kind === 'sign-in' || kind === 'memo' || isAssertionRecord(kind)
}

/** In milliseconds; a draft that is older was left by a killed process. */
const longestMemoWriteMs = 60_000

/** In milliseconds: a client whose ttl has not passed by then, and which was handed nothing since, counts as never seen. Our decision. */
const longestQuietMs = 7 * 24 * 3_600_000

/** No identity token is valid for longer than a year, as those of Kubernetes may be. Our decision. */
const longestAssertionLifeMs = 366 * 24 * 3_600_000

/** Looks again under the lock: its holder may just have replaced the expired entry. */
async function removeUnderLock(file: CacheFile, now: number): Promise<void> {
  if (isMemo(file.kind)) return rm(toCacheFilePath(file.location, file.kind), { force: true }).catch(() => undefined)
  const lock = await openLock(toLockPath(file)).catch(() => undefined)
  try {
    if ((await lock?.tryAcquire()) && (await hasExpired(file, now)))
      await rm(toCacheFilePath(file.location, file.kind), { force: true })
  } catch {
    // Nothing is lost: the next sweep tries again.
  } finally {
    await lock?.release()
  }
}

/** In hexadecimal digits: finer than the seconds of any life, and too short to find a machine by. */
const digits = 5

/**
 * The part of the longest time by which a machine renews a token early: at least 0, less than 1. Many machines, many entries of one
 * machine, and many tokens of one entry are spread evenly.
 * @param machine Its name.
 * @param minted In milliseconds since the epoch.
 */
export function computeEntryFraction(
  machine: string,
  { directory, program, key }: EntryLocation,
  minted: number,
): number {
  const entry = [machine, directory, program, key]
  return computeEarlyFraction(toFraction(entry), toFraction([...entry, minted]))
}

function toFraction(parts: readonly (string | number)[]): number {
  return Number.parseInt(digestFingerprint(JSON.stringify(parts)).slice(0, digits), 16) / 16 ** digits
}
