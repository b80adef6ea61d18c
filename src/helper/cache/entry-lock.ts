import { lstat, open } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { refuseFile } from './directory.ts'

/** The right to mint for one key. It ends with the process, however that ends: nothing is left to clean up. */
export interface EntryLock {
  /** Takes the lock if nobody has it. Throws the system's error where the file cannot be locked. */
  attempt(): boolean
  /** Gives the lock back, if it was taken. It cannot be taken again. */
  release(): void
}

/**
 * Opens a lock's file. It is an SQLite database of which only the write lock is used: the operating system gives it
 * back when a process dies, which a lock of our own making could not promise. The file is never deleted, because a second
 * locker would then lock another file of the same name.
 * @throws the system's error where the file cannot be opened, or a `CacheRefusal`.
 */
export async function openLock(path: string): Promise<EntryLock> {
  await createOrRefuse(path)
  const sqlite = await import('node:sqlite')
  const database = new sqlite.DatabaseSync(path)
  return { attempt: () => attempt(database), release: () => database.close() }
}

/** SQLite would follow a link, and make the file readable for everybody. */
async function createOrRefuse(path: string): Promise<void> {
  try {
    refuseFile(path, await lstat(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await createFile(path)
  }
}

/** Nothing is opened that is there already: to close a file gives back what this process has locked of it. */
async function createFile(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function attempt(database: DatabaseSync): boolean {
  try {
    // With its journal in memory there is no second file, which a kill would leave and a full disk refuse (seen); no
    // journal at all is more than Node's SQLite allows. Nothing is ever written.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/** SQLITE_BUSY of sqlite3.h; the bits above are its variants. */
const busy = 5

function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === busy
}
