import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs'
import { safeOpenFlags } from '../../runtime/disk.ts'
import { readCarefully } from '../cache/read-entry.ts'
import { type MintFailure, parseMintFailure } from './failure.ts'

/** Who holds a lock and since when, as the holder said before it began; or who had it, and why that came to nothing. */
export interface LockHolder {
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly failed?: MintFailure | undefined
}

/** Says beside the lock who has it. A note that cannot be written costs the others a message, or a call of their own. */
export function writeNote(path: string, holder: LockHolder): void {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | safeOpenFlags, 0o600)
    writeSync(file, JSON.stringify(holder))
    closeSync(file)
  } catch {
    // see above
  }
}

/** Takes the note away again, at once: whoever is late may have no thread left to wait for. */
export function removeNote(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // a note too many misleads nobody: the lock is what counts
  }
}

/** Reads that note; `undefined` where there is none that can be read, or somebody else could have made it. */
export async function readNote(path: string): Promise<LockHolder | undefined> {
  try {
    const value: unknown = JSON.parse(await readCarefully(path))
    const { pid, since, failed } = value as Record<string, unknown> // anything else than an object throws
    if (typeof pid !== 'number' || typeof since !== 'number') return undefined
    return { pid, since, failed: parseMintFailure(failed) }
  } catch {
    return undefined // missing, or being written
  }
}
