import { readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { HelperError } from '../runtime/failure.ts'

/** Pauses between attempts, in milliseconds; spread out, so that many waiters do not come at once. */
const pauseMs = { shortest: 15, longest: 60 } as const

/** The right to mint for one key. It ends with the process, however that ends: nothing is left to clean up. */
export interface EntryLock {
  release(): void
}

/** Who holds a lock and since when, as the holder said before it began. */
export interface LockHolder {
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly since: number
}

/**
 * Takes a lock if nobody has it. The lock is an SQLite database of which only the write lock is used: the operating
 * system gives it back when a process dies, which a lock of our own making could not promise. Its file is never
 * deleted, because a second locker would then lock another file of the same name.
 * @returns `undefined` while another process has it.
 * @throws the system's error where the file cannot be locked.
 */
export async function tryLock(path: string): Promise<EntryLock | undefined> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    // Without a journal there is no second file; nothing is ever written.
    database.exec('PRAGMA journal_mode = OFF; BEGIN IMMEDIATE')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined
    throw error
  }
}

/** SQLITE_BUSY of sqlite3.h. */
const sqliteBusy = 5

/** Waits a moment before the next attempt, with timers and the deadline alive. */
export async function pause(signal: AbortSignal): Promise<void> {
  const { shortest, longest } = pauseMs
  await sleep(shortest + Math.random() * (longest - shortest), undefined, { signal }).catch(() => {
    throw new HelperError('late', 'the wait for another run was cut off', 'try again') // the deadline has spoken already
  })
}

/** Says beside the lock who has it. Only for messages: a note that cannot be written changes nothing. */
export async function writeHolder(path: string, holder: LockHolder): Promise<void> {
  await writeFile(path, JSON.stringify(holder), { mode: 0o600 }).catch(() => undefined) // see above
}

/** Takes the note away again. */
export async function removeHolder(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined) // a note too many misleads nobody: the lock is what counts
}

/** Reads that note; `undefined` where there is none that can be read. */
export async function readHolder(path: string): Promise<LockHolder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    const { pid, since } = value as Partial<LockHolder>
    return typeof pid === 'number' && typeof since === 'number' ? { pid, since } : undefined
  } catch {
    return undefined // missing, or being written
  }
}
