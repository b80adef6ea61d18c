import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { safeOpenFlags } from '../../runtime/disk.ts'
import { readCacheFile } from '../../runtime/private/read-cache-file.ts'
import { type MintFailure, parseMintFailure } from './failure.ts'

/** The process that holds a lock, and since when; or the last holder, and why its mint failed. */
export interface LockHolder {
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly failed?: MintFailure | undefined
}

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | safeOpenFlags

/**
 * Writes beside the lock who holds it; false where that failed. Without a note other runs only say less, or ask the source
 * themselves.
 */
export async function writeNote(path: string, holder: LockHolder): Promise<boolean> {
  try {
    const file = await open(path, flags, 0o600)
    await file.writeFile(JSON.stringify(holder)).finally(() => file.close())
    return true
  } catch {
    return false
  }
}

/** Removes the note. One that stays does no harm: only the lock counts. */
export async function removeNote(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined)
}

/** Reads the note; `undefined` where there is none, or another user could have created it. */
export async function readNote(path: string): Promise<LockHolder | undefined> {
  try {
    const value: unknown = JSON.parse(await readCacheFile(path))
    const { pid, since, failed } = value as Record<string, unknown> // destructuring null or undefined throws
    if (typeof pid !== 'number' || typeof since !== 'number') return undefined
    return { pid, since, failed: parseMintFailure(failed) }
  } catch {
    return undefined // missing, or being written
  }
}
