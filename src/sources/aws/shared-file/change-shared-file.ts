import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { closeLock, type FileLock, openLock } from '../../../runtime/private/file-lock.ts'
import { UnsafeCacheError } from '../../../runtime/private/owner.ts'
import { readSharedFile } from './read-shared-file.ts'
import { prepareSharedDirectory, toWriteFailure, writeSharedFile } from './write-shared-file.ts'

/** A shared file that no other process of ours changes at the moment. Another program may. */
export interface LockedFile {
  /** See {@link readSharedFile}. */
  read(): Promise<string | undefined>
  /** See {@link writeSharedFile}. */
  write(text: string): Promise<void>
}

/** What is to become of a shared file. */
export interface SharedChange<T> {
  /** Names the process that is waited for, such as `another run that renews the SSO session "dev"`. */
  readonly otherRun: string
  /** Whether to wait while another process changes the file, or to give `undefined` at once. */
  readonly whenBusy: 'wait' | 'leave'
  /** The result where another process has just made it; asked each time the lock was busy. */
  find(): Promise<T | undefined>
  /** Makes the result under the lock, and reads the file again first. */
  make(file: LockedFile): Promise<T>
}

/**
 * Changes a file that is shared with other AWS tools, one process of ours at a time. The lock lies beside the file, so that
 * whoever may write the one may lock the other, and is dropped by the system when its holder dies.
 * @throws {HelperError} `not-configured` where the file cannot be locked; `late` at the deadline; or what `make` throws.
 */
export async function changeSharedFile<T>(
  path: string,
  deadline: Deadline,
  change: SharedChange<T>,
): Promise<T | undefined> {
  const lockPath = `${path}.lock`
  const lock = await deadline.during(`opening ${lockPath}`, () => openSharedLock(path, lockPath))
  try {
    const state = await waitForLock(() => tryAcquire(lock, lockPath), deadline, change)
    if (state !== 'acquired') return state.found
    return await change.make({ read: () => readSharedFile(path), write: (text) => writeSharedFile(path, text) })
  } finally {
    await closeLock(lock, lockPath, deadline)
  }
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

/** Something that is no lock may lie at its path, and some file systems have no locks. */
async function tryAcquire(lock: FileLock, lockPath: string): Promise<boolean> {
  try {
    return await lock.tryAcquire()
  } catch (error) {
    const { message } = error as Error
    const hint = `look at it with: ls -l '${lockPath}'; it holds nothing, and may be removed while no helper runs`
    throw new HelperError('not-configured', `cannot lock ${lockPath} (${message})`, hint, { cause: error })
  }
}

function waitForLock<T>(
  acquire: () => Promise<boolean>,
  deadline: Deadline,
  { otherRun, whenBusy, find }: SharedChange<T>,
): Promise<'acquired' | { readonly found: T | undefined }> {
  return deadline.during(otherRun, async ({ signal }) => {
    for (let attempts = 1; ; attempts += 1) {
      if (await acquire()) return 'acquired'
      const found = await find()
      if (found !== undefined || whenBusy === 'leave') return { found }
      await sleep(computePauseMs(attempts), undefined, { signal })
    }
  })
}

/** Random, so that many waiters do not try again at once, and longer with time. */
function computePauseMs(attempts: number): number {
  const longest = Math.min(30 * attempts, 150)
  return 10 + Math.random() * longest
}
