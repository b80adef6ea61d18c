import { lstat, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Deadline } from '../deadline.ts'
import { attemptUnlessMissing, waitForDirectory } from '../disk.ts'
import { findErrorCode } from '../failure.ts'
import { refuseSharedFile } from './private-files.ts'

/**
 * A lock that one process at a time holds. The operating system releases it when the process ends, however it ends; it is also released when
 * this object is collected, so whoever holds the lock keeps the object.
 */
export interface FileLock {
  /** Acquires the lock if no other process holds it. Throws the system's error if the file cannot be locked. */
  tryAcquire(): Promise<boolean>
  /** Releases the lock and closes its file: it cannot be acquired again. */
  release(): Promise<void>
}

/**
 * Opens the file of a lock. The file is an SQLite database, of which only the write lock is used, because the operating system
 * releases that when a process dies. It is never deleted, because another process would then lock a new file of the same name.
 * SQLite works on the main thread, so each time the directory has to respond first.
 * @throws {UnsafeCacheError}, or the system's error if the file cannot be opened.
 */
export async function openLock(path: string): Promise<FileLock> {
  const sqlite = await import('node:sqlite')
  await createOrCheckFile(path)
  await waitForDirectory(dirname(path))
  const database = new sqlite.DatabaseSync(path)
  return {
    tryAcquire: async () => {
      await waitForDirectory(dirname(path))
      return attemptAcquire(database)
    },
    release: async () => {
      await waitForDirectory(dirname(path))
      database.close()
    },
  }
}

/**
 * Computes the pause before the next attempt, in milliseconds. It is random, so that many waiting processes do not try at once, and longer
 * with time, so that they leave the processor to the holder.
 * @param random From 0 to 1.
 */
export function computePauseMs(attempts: number, random: number): number {
  return 10 + random * Math.min(30 * attempts, 150)
}

/** Releases a lock, unless its directory does not respond in time. Then the lock ends with this process. */
export async function closeLock(lock: Pick<FileLock, 'release'>, path: string, deadline: Deadline): Promise<void> {
  if (deadline.isOver()) return
  await deadline.during('lock', `releasing ${path}`, () => lock.release()).catch(() => undefined)
}

/** Creates the file here, because SQLite would follow a link and make the file readable for everybody. */
async function createOrCheckFile(path: string): Promise<void> {
  const status = await attemptUnlessMissing(lstat(path))
  if (status) refuseSharedFile(path, status)
  else await createFile(path)
}

/** Creates the file without opening an existing one, because closing it would release this process's locks on it (POSIX, fcntl). */
async function createFile(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST') throw error
  }
}

function attemptAcquire(database: DatabaseSync): boolean {
  try {
    // The journal is in memory, because a kill would leave a second file, and a full disk would refuse it (seen). Node's SQLite does
    // not allow switching the journal off. Nothing is ever written.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/** `SQLITE_BUSY`, in the lowest byte of a code; the others hold its variants (SQLite, "Result and Error Codes"). */
const busy = 5

function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === busy
}
