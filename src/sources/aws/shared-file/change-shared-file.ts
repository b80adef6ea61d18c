import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { changeUnderLock, type LockedChange } from '../../../runtime/private/change-under-lock.ts'
import { type FileLock, openLock } from '../../../runtime/private/file-lock.ts'
import { UnsafeCacheError } from '../../../runtime/private/owner.ts'
import { toWriteFailure } from '../../../runtime/writing/replace-file.ts'
import { readSharedFile } from './read-shared-file.ts'
import { prepareSharedDirectory, writeSharedFile } from './write-shared-file.ts'

/** A shared file that no other process of ours changes at the moment. Another program may. */
export interface LockedFile {
  /** See {@link readSharedFile}. */
  read(): Promise<string | undefined>
  /** See {@link writeSharedFile}. */
  write(text: string): Promise<void>
}

/** What is to become of a shared file. */
export interface SharedChange<T> extends Omit<LockedChange<T>, 'make'> {
  /** Makes the result under the lock, and reads the file again first. */
  make(file: LockedFile): Promise<T>
}

/**
 * Changes a file that is shared with other AWS tools, one process of ours at a time. The lock lies beside the file, so that
 * whoever may write the one may lock the other.
 * @throws {HelperError} `not-configured` where the file cannot be locked; `late` at the deadline; or what `make` throws.
 */
export function changeSharedFile<T>(path: string, deadline: Deadline, change: SharedChange<T>): Promise<T | undefined> {
  const lockPath = `${path}.lock`
  const file = { read: () => readSharedFile(path), write: (text: string) => writeSharedFile(path, text) }
  const place = { path: lockPath, open: () => openSharedLock(path, lockPath) }
  return changeUnderLock(place, deadline, { ...change, make: () => change.make(file) })
}

async function openSharedLock(path: string, lockPath: string): Promise<FileLock> {
  await prepareSharedDirectory(path)
  try {
    return await openLock(lockPath)
  } catch (error) {
    if (!(error instanceof UnsafeCacheError)) throw toWriteFailure(lockPath, error)
    throw new HelperError('not-configured', error.message, `look at it with: ls -ld '${lockPath}'`, { cause: error })
  }
}
