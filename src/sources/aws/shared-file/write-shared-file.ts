import type { Stats } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HelperError } from '../../../runtime/failure.ts'
import { findEffectiveUser } from '../../../runtime/host.ts'
import { createDirectory } from '../../../runtime/writing/create-directory.ts'
import { refuseForeignTarget } from './read-shared-file.ts'

/**
 * Creates the directory of a shared file for this user alone, where it is missing. A link to a directory of the same user is
 * followed, as people have whose settings lie on another disk.
 * @throws {HelperError} `not-configured` for a directory that is another user's or cannot be created.
 */
export async function prepareSharedDirectory(path: string): Promise<void> {
  const directory = dirname(path)
  try {
    await createDirectory(directory)
    refuseForeignDirectory(directory, await stat(directory))
  } catch (error) {
    throw toWriteFailure(directory, error)
  }
}

function refuseForeignDirectory(directory: string, status: Stats): void {
  const user = findEffectiveUser()
  const problem = !status.isDirectory()
    ? 'is not a directory'
    : user !== undefined && status.uid !== user && 'belongs to another user'
  if (problem)
    throw new HelperError('not-configured', `${directory} ${problem}`, `look at it with: ls -ld '${directory}'`)
}

/**
 * Writes a shared file beside its target, readable for this user alone, and renames it, so that a program that reads it
 * meanwhile sees the old content or the new one. Only for the holder of its lock: an existing draft was left by a process that
 * died.
 * @throws {HelperError} `not-configured` for a target that is not this user's own, or where it cannot be written; no draft is
 * left then.
 */
export async function writeSharedFile(path: string, text: string): Promise<void> {
  const draft = `${path}.gatepass`
  try {
    await refuseForeignTarget(path)
    await rm(draft, { force: true })
    await writeWhole(draft, text)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw toWriteFailure(path, error)
  }
}

/** To the disk as well: after a power failure an empty file under the target's name would be a lost sign-in. */
async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A failure of the system to write a shared file or its lock, in words; anything else as it is. */
export function toWriteFailure(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof HelperError || code === undefined) return error
  const hint =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'make room on the disk'
      : `make ${dirname(path)} writable for the user who runs this; see who may: ls -ld '${dirname(path)}'`
  return new HelperError('not-configured', `cannot write ${path} (${code})`, hint, { cause: error })
}
