import { setTimeout as sleep } from 'node:timers/promises'
import { type FileLock, openLock } from '../../../runtime/private/file-lock.ts'

/** Opens a lock and acquires it; `undefined` where another process holds it. */
export async function attemptLock(path: string): Promise<FileLock | undefined> {
  const lock = await openLock(path)
  if (await lock.tryAcquire()) return lock
  await lock.release()
  return undefined
}

/** In milliseconds: others hold it for a moment, to see whether somebody signs in. */
const momentMs = 2_000
const pauseMs = 20

/** Acquires a lock that others may hold for a moment; `undefined` where one holds it for longer. */
export async function waitForLock(path: string): Promise<FileLock | undefined> {
  for (let waitedMs = 0; waitedMs < momentMs; waitedMs += pauseMs) {
    const lock = await attemptLock(path)
    if (lock) return lock
    await sleep(pauseMs)
  }
  return undefined
}

/** Whether a process holds it now. */
export async function isHeld(path: string): Promise<boolean> {
  const lock = await attemptLock(path)
  await lock?.release()
  return lock === undefined
}
