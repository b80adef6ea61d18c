import { hash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HelperError } from '../../../runtime/failure.ts'
import type { FileLock } from '../../../runtime/files/file-lock.ts'
import { readCacheFile } from '../../../runtime/files/private-files.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'
import { attemptLock, waitForLock } from './locks.ts'
import { type NotedWay, parseFailure, readNote, type SignInFiles, type SignInNote } from './note.ts'

/** Digests a flow's `request`. */
export function digestRequest(request = ''): string {
  return hash('sha256', request).slice(0, 16)
}

/** The settings with which a sign-in begins, besides its ID. A run with other settings does not wait for it. */
interface SignInRequest {
  /** A digest of the settings that decide which address is shown, and how the answer is handled. */
  readonly request: string
  readonly way: NotedWay
  /** The program that should open a browser, if one is set. */
  readonly browser: string | undefined
}

/**
 * Whether a sign-in that is under way differs from the one that a run would begin. `auto` and `browser` are equal if a browser was opened,
 * or should have been; if it could not be started, a run with another browser setting begins another sign-in. The note of an older version
 * has no such setting, and counts as equal.
 */
export function isOther({ request, way, shown }: SignInNote, own: SignInRequest): boolean {
  if (request === undefined || way === undefined) return false
  if (request !== own.request) return true
  const { opens = true, unopened } = shown ?? {}
  if (unopened && unopened.browser !== own.browser) return true
  const isForBrowser = way !== 'device' && own.way !== 'device' && (opens || unopened !== undefined)
  return way !== own.way && !isForBrowser
}

/** The order to end a sign-in. */
export interface Stop {
  /** The failure that the waiting runs report; if absent, they wait for the sign-in that begins instead. */
  readonly failure?: HelperError | undefined
}

/** In milliseconds: how long a sign-in may take to end. It reads its order several times a second. Our decision. */
const longestEndMs = 5_000
const pauseMs = 50

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

/** Writes the order to end a sign-in. @returns whether that succeeded, which it does not on a full disk. */
async function attemptToTell(
  { stop: path }: SignInFiles,
  { pid, since }: SignInNote,
  { failure }: Stop,
): Promise<boolean> {
  const words = failure && { kind: failure.kind, message: failure.message, hint: failure.hint }
  try {
    await rm(path, { force: true })
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(JSON.stringify({ pid, since, failure: words })).finally(() => file.close())
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
