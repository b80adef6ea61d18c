import { rm } from 'node:fs/promises'
import { computeEarlyPauseMs, earlyRenewal, isTooSoon } from '../../contract/freshness.ts'
import { sweepOutcomeFiles } from '../../outcomes/spool.ts'
import { readLinkStatus } from '../../runtime/disk.ts'
import { openLock } from '../../runtime/files/file-lock.ts'
import { readCacheFile } from '../../runtime/files/private-files.ts'
import {
  type CacheFile,
  isAssertionRecord,
  isEntry,
  isMemo,
  listCacheFiles,
  toCacheFilePath,
  toLockPath,
} from './cache-files.ts'
import { parseExpiry } from './entry.ts'

/**
 * Removes expired files of every helper and version: entries, records of used assertions, drafts and notes of killed processes, and old
 * outcomes. Lock files stay. A directory with very many files is examined in parts, each time from a random start.
 */
export async function sweepCache(directory: string, now: number): Promise<void> {
  const candidates = (await listCacheFiles(directory)).filter(({ kind }) => kind !== 'lock')
  const start = Math.floor(Math.random() * candidates.length)
  const some = [...candidates.slice(start), ...candidates.slice(0, start)].slice(0, maxFiles)
  const expired = await Promise.all(some.map(async (file) => ((await hasExpired(file, now)) ? [file] : [])))
  // Sequential, because several files may belong to one key and need its lock.
  for (const file of expired.flat()) await removeUnderLock(file, now)
  await sweepOutcomeFiles(directory, now)
}

/** The most files that one run examines, so that a full directory costs a run no more time. */
const maxFiles = 64

/** In milliseconds: the longest pause that a note imposes between two early renewals. */
const longestNoteMs = computeEarlyPauseMs(1, earlyRenewal.longestPauseMs)

/**
 * Returns whether a file may be removed, for a caller that holds its lock. Drafts and notes are written only under the lock, so those found
 * here are leftovers; but the note of a failed early renewal stays until the next one is allowed.
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
    // The record is empty because the disk was full.
    return isAssertionRecord(kind) && (await readLinkStatus(path)).mtimeMs + longestAssertionLifeMs <= now
  } catch {
    return false // missing, or unreadable; the run that needs the file reports it
  }
}

/** Returns whether a file of this kind contains its own expiry. */
function hasExpiry(kind: CacheFile['kind']): boolean {
  return isEntry(kind) || kind === 'sign-in' || kind === 'memo' || isAssertionRecord(kind)
}

/** In milliseconds. An older draft was left by a killed process. */
const longestMemoWriteMs = 60_000

/** In milliseconds: the hand-outs of a client that got no token for this long are forgotten. Our decision. */
const longestQuietMs = 7 * 24 * 3_600_000

/**
 * In milliseconds: no identity token is valid for longer. Kubernetes extends some to a year (`kube-apiserver`,
 * `--service-account-extend-token-expiration`). Our decision.
 */
const longestAssertionLifeMs = 366 * 24 * 3_600_000

/** Checks again under the lock, whose holder may have replaced the expired entry. */
async function removeUnderLock(file: CacheFile, now: number): Promise<void> {
  if (isMemo(file.kind)) return rm(toCacheFilePath(file.location, file.kind), { force: true }).catch(() => undefined)
  const lock = await openLock(toLockPath(file)).catch(() => undefined)
  try {
    if ((await lock?.tryAcquire()) && (await hasExpired(file, now)))
      await rm(toCacheFilePath(file.location, file.kind), { force: true })
  } catch {
    // The next sweep tries again.
  } finally {
    await lock?.release()
  }
}
