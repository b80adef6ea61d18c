import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs'
import { safeOpenFlags } from '../../runtime/disk.ts'
import { readCacheFile } from '../cache/read-entry.ts'
import { type MintFailure, parseMintFailure } from './failure.ts'

/** The process that holds a lock, and since when; or the last holder, and why its mint failed. */
export interface LockHolder {
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly failed?: MintFailure | undefined
}

/**
 * Writes beside the lock who holds it. Errors are ignored: without a note other runs only say less, or ask the source themselves.
 */
export function writeNote(path: string, holder: LockHolder): void {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | safeOpenFlags, 0o600)
    writeSync(file, JSON.stringify(holder))
    closeSync(file)
  } catch {
    // as documented above
  }
}

/** Removes the note, synchronously, because after the deadline every thread may be blocked. */
export function removeNote(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // A note that stays does no harm: only the lock counts.
  }
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
