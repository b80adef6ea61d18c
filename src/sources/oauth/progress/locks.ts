import { setTimeout as sleep } from 'node:timers/promises'
import { type FileLock, openLock } from '../../../runtime/files/file-lock.ts'

/** Opens a lock and acquires it; `undefined` if another process holds it. */
export async function attemptLock(path: string): Promise<FileLock | undefined> {
  const lock = await openLock(path)
  if (await lock.tryAcquire()) return lock
  await lock.release()
  return undefined
}

/** In milliseconds: how long another process may hold the lock only to see whether somebody is signing in. Our decision. */
const momentMs = 2_000
const pauseMs = 20

/** Acquires a lock that other processes may hold for a moment; `undefined` if one holds it for longer. */
export async function waitForLock(path: string): Promise<FileLock | undefined> {
  for (let waitedMs = 0; waitedMs < momentMs; waitedMs += pauseMs) {
    const lock = await attemptLock(path)
    if (lock) return lock
    await sleep(pauseMs)
  }
  return undefined
}

/** Returns whether a process holds the lock. It is acquired and released for that. */
export async function checkHeld(path: string): Promise<boolean> {
  const lock = await attemptLock(path)
  await lock?.release()
  return lock === undefined
}
