// Replaces a file so that its content survives a crash; `private-files.ts` replaces one without waiting for the disk.

import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findErrorCode, HelperError, isWithoutRoom } from '../failure.ts'
import { describeLook, ownSystem } from '../text/quote.ts'
import { writeByDraft } from './private-files.ts'

/**
 * Replaces a file as {@link writeByDraft} does. Content and name are on the disk when this returns, because an empty or old file after a
 * power failure could be a lost sign-in.
 */
export async function writeDurably(path: string, text: string, draft: string, mode?: number): Promise<void> {
  await writeByDraft({ path, draft, mode }, async (file) => {
    await file.writeFile(text)
    await file.sync()
  })
  await writeNamesToDisk(dirname(path))
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
