import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HelperError } from '../../../runtime/failure.ts'
import { findEffectiveUser } from '../../../runtime/host.ts'
import { createDirectory } from '../../../runtime/writing/create-directory.ts'
import { toWriteFailure, writeDurably } from '../../../runtime/writing/replace-file.ts'
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
 * Replaces a shared file as a whole, readable for this user alone. Only for the holder of its lock.
 * @throws {HelperError} `not-configured` for a target that is not this user's own, or where it cannot be written; no draft is
 * left then.
 */
export async function writeSharedFile(path: string, text: string): Promise<void> {
  try {
    await refuseForeignTarget(path)
    await writeDurably(path, text, `${path}.gatepass`)
  } catch (error) {
    throw toWriteFailure(path, error)
  }
}
