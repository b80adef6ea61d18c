import { constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findErrorCode, HelperError, isWithoutRoom } from '../failure.ts'
import { describeLook, ownSystem } from '../text/quote.ts'

/**
 * Replaces a file by a new one, which only this user can read unless its mode permits more. It is written beside its target and renamed, so
 * that a concurrent reader sees the old content or the new one. The caller must hold a lock, so an existing draft is the leftover of a
 * killed process. Content and name are on the disk when this returns, because an empty or old file after a power failure could be a lost
 * sign-in.
 * @throws the system's error, for example `ENOSPC`; the draft is removed first.
 */
export async function writeDurably(path: string, text: string, draft: string, mode = 0o600): Promise<void> {
  try {
    await rm(draft, { force: true })
    await writeWhole(draft, text, mode)
    await rename(draft, path)
    await writeNamesToDisk(dirname(path))
  } catch (error) {
    // The first error is the one to report; the next writer removes the draft.
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Flushes the names of a directory's files to the disk, if the system can do that: Windows opens no directory. */
export async function writeNamesToDisk(directory: string): Promise<void> {
  try {
    const handle = await open(directory, constants.O_RDONLY)
    await handle.sync().finally(() => handle.close())
  } catch {
    // Some file systems cannot do this; then a power failure within seconds may bring the earlier names back.
  }
}

/** The hint for a disk that is full. */
export const roomHint = 'make room on the disk'

/** Converts a failed write of a file or its lock to a failure; anything else is returned unchanged. */
export function toWriteFailure(path: string, error: unknown): unknown {
  const code = findErrorCode(error)
  if (error instanceof HelperError || code === undefined) return error
  const hint = isWithoutRoom(error)
    ? roomHint
    : `make ${dirname(path)} writable for the user who runs this; see who may: ${describeLook(dirname(path), ownSystem)}`
  return new HelperError('not-configured', `cannot write ${path} (${code})`, hint, { cause: error })
}
