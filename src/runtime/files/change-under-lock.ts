import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadline } from '../deadline.ts'
import { HelperError } from '../failure.ts'
import { renderLookHint } from '../text/quote.ts'
import { closeLock, computePauseMs, type FileLock } from './file-lock.ts'

/** Work that only one process does at a time. */
export interface LockedChange<T> {
  /** Names the other holder of the lock in messages, such as `another run that renews the SSO session "dev"`. */
  readonly otherRun: string
  /** Whether to wait while another process holds the lock, or to return `undefined` at once. */
  readonly whenBusy: 'wait' | 'leave'
  /** Finds the result if another process has just made it. It is called each time the lock is held elsewhere. */
  find(): Promise<T | undefined>
  /** Makes the result under the lock. It has to read its inputs again. */
  make(): Promise<T>
}

/**
 * Makes a result under a lock, which the system drops when its holder dies.
 * @throws {HelperError} `not-configured` if the file cannot be locked; `late` at the deadline; or what `open` and `make` throw.
 */
export async function changeUnderLock<T>(
  { path, open }: { readonly path: string; open(): Promise<FileLock> },
  deadline: Deadline,
  change: LockedChange<T>,
): Promise<T | undefined> {
  const lock = await deadline.during('lock', `opening ${path}`, open)
  try {
    const state = await waitForLock(() => attemptAcquire(lock, path), deadline, change)
    return state === 'acquired' ? await change.make() : state.found
  } finally {
    await closeLock(lock, path, deadline.whole)
  }
}

/** Tries to acquire the lock. The file may be something else than a lock, and some file systems have no locks. */
async function attemptAcquire(lock: FileLock, path: string): Promise<boolean> {
  try {
    return await lock.tryAcquire()
  } catch (error) {
    const { message } = error as Error
    const hint = `${renderLookHint(path)}; it holds nothing, and may be removed while no helper runs`
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
      await sleep(computePauseMs(attempts, Math.random()), undefined, { signal })
    }
  })
}
