import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadline } from '../deadline.ts'
import { HelperError } from '../failure.ts'
import { closeLock, type FileLock } from './file-lock.ts'

/** What is to be done by one process at a time. */
export interface LockedChange<T> {
  /** Names the process that is waited for, such as `another run that renews the SSO session "dev"`. */
  readonly otherRun: string
  /** Whether to wait while another process holds the lock, or to give `undefined` at once. */
  readonly whenBusy: 'wait' | 'leave'
  /** The result where another process has just made it; asked each time the lock was busy. */
  find(): Promise<T | undefined>
  /** Makes the result under the lock. What it depends on has to be read again first. */
  make(): Promise<T>
}

/** A lock, and how it is opened. */
export interface LockPlace {
  readonly path: string
  open(): Promise<FileLock>
}

/**
 * Makes a result under a lock, which the system drops when its holder dies.
 * @throws {HelperError} `not-configured` where the file cannot be locked; `late` at the deadline; or what is thrown by `open` and
 * `make`.
 */
export async function changeUnderLock<T>(
  { path, open }: LockPlace,
  deadline: Deadline,
  change: LockedChange<T>,
): Promise<T | undefined> {
  const lock = await deadline.during('lock', `opening ${path}`, open)
  try {
    const state = await waitForLock(() => tryAcquire(lock, path), deadline, change)
    return state === 'acquired' ? await change.make() : state.found
  } finally {
    await closeLock(lock, path, deadline.whole)
  }
}

/** Something that is no lock may lie at its path, and some file systems have no locks. */
async function tryAcquire(lock: FileLock, path: string): Promise<boolean> {
  try {
    return await lock.tryAcquire()
  } catch (error) {
    const { message } = error as Error
    const hint = `look at it with: ls -l '${path}'; it holds nothing, and may be removed while no helper runs`
    throw new HelperError('not-configured', `cannot lock ${path} (${message})`, hint, { cause: error })
  }
}

function waitForLock<T>(
  acquire: () => Promise<boolean>,
  deadline: Deadline,
  { otherRun, whenBusy, find }: LockedChange<T>,
): Promise<'acquired' | { readonly found: T | undefined }> {
  return deadline.during('lock', otherRun, async ({ signal }) => {
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
