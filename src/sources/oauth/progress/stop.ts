import { open, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HelperError } from '../../../runtime/failure.ts'
import type { FileLock } from '../../../runtime/files/file-lock.ts'
import { readCacheFile } from '../../../runtime/files/private-files.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'
import { attemptLock, waitForLock } from './locks.ts'
import { parseFailure, readNote, type SignInFiles, type SignInNote, toFailureMembers } from './note.ts'

/** The order to end a sign-in. */
export interface Stop {
  /** The failure that the waiting runs report; if absent, they wait for the sign-in that begins instead. */
  readonly failure?: HelperError | undefined
}

/**
 * Ends the sign-in that is under way, and acquires its lock. No other process starts one meanwhile.
 * @param isMeant Whether the sign-in that is found has to end.
 * @returns the lock; `undefined` if the sign-in does not have to end, or does not end.
 */
export async function stopSignIn(
  files: SignInFiles,
  stop: Stop,
  isMeant: (note: SignInNote) => boolean | Promise<boolean> = () => true,
): Promise<FileLock | undefined> {
  const turn = await waitForLock(files.start)
  try {
    return await stopInTurn(files, stop, isMeant)
  } finally {
    await turn?.release()
  }
}

/** Does the work of {@link stopSignIn}, for the holder of the start lock. */
export async function stopInTurn(
  files: SignInFiles,
  stop: Stop,
  isMeant: (note: SignInNote) => boolean | Promise<boolean>,
): Promise<FileLock | undefined> {
  let stopped: number | undefined
  for (let waitedMs = 0; waitedMs < longestEndMs; waitedMs += pauseMs) {
    const lock = await attemptLock(files.lock)
    if (lock && stopped !== undefined) await rm(files.stop, { force: true })
    if (lock) return lock
    const note = await readNote(files)
    // The holder of the lock may not have written its note yet, so the note may be an earlier one.
    if (note && !note.ended && note.since !== stopped) {
      if (!(await isMeant(note))) return undefined
      if (!(await attemptToTell(files, note, stop))) return undefined
      stopped = note.since
    }
    await sleep(pauseMs)
  }
  return undefined
}

/** In milliseconds: how long a sign-in may take to end. It reads its order several times a second. Our decision. */
const longestEndMs = 5_000
const pauseMs = 50

/** Writes the order to end a sign-in. @returns whether that succeeded, which it does not on a full disk. */
async function attemptToTell(
  { stop: path }: SignInFiles,
  { pid, since }: SignInNote,
  { failure }: Stop,
): Promise<boolean> {
  try {
    await rm(path, { force: true })
    const file = await open(path, 'wx', 0o600)
    await file
      .writeFile(JSON.stringify({ pid, since, failure: failure && toFailureMembers(failure) }))
      .finally(() => file.close())
    return true
  } catch {
    return false // without the order the sign-in goes on
  }
}

/** Reads the order to end a sign-in; `undefined` if there is none. An order for another sign-in is ignored. */
export async function readStop(
  { stop: path }: SignInFiles,
  own: Pick<SignInNote, 'pid' | 'since'>,
): Promise<Stop | undefined> {
  const text = await readCacheFile(path).catch(() => '') // missing, or a file that others may have written
  const { pid, since, failure } = parseObject(text) ?? {}
  return pid === own.pid && since === own.since ? { failure: parseFailure(failure) } : undefined
}
