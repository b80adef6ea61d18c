import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { Deadline } from '../../runtime/deadline.ts'
import { safeOpenFlags } from '../../runtime/disk.ts'
import { type FailureKind, HelperError } from '../../runtime/failure.ts'
import { closeLock, type FileLock, openLock } from '../../runtime/files/file-lock.ts'
import { cacheProblem, createCacheDirectory, readCacheFile } from '../../runtime/files/private-files.ts'
import { observeProcessId } from '../../runtime/host.ts'
import { isObject } from '../../runtime/values/json-value.ts'
import { toCacheFilePath } from '../cache/cache-files.ts'
import type { TokenEntry } from '../cache/entry.ts'
import type { TokenStore } from '../cache/store.ts'

/**
 * The lock under which one process at a time mints for a key. Its holder writes a note beside it, for the messages of the processes that
 * wait.
 */
export interface MintLock {
  /**
   * `acquired`: held until {@link release}. `busy`: another process holds it. `unusable`: the file cannot be locked, which the store has
   * reported.
   */
  tryAcquire(): Promise<'acquired' | 'busy' | 'unusable'>
  /** Reads the note: the process that holds the lock or held it last. */
  findHolder(): Promise<LockHolder | undefined>
  /** Writes to the note that the mint has begun. This method and the next three do nothing unless the lock is held. */
  noteStart(now: number): Promise<void>
  /**
   * Writes to the note that an early renewal has begun; false if that failed. The note stays until an entry is written.
   * @param askedPauseMs How long the source has asked not to be asked again.
   */
  noteRenewal(now: number, askedPauseMs?: number): Promise<boolean>
  /** Writes to the note why the mint failed, for runs that would fail in the same way. */
  noteFailure(failure: MintFailure): Promise<void>
  /** Writes the entry. An error becomes a warning, because the next run can mint again. */
  write(entry: TokenEntry): Promise<void>
  /** Releases the lock. After the deadline it does nothing, because the lock ends with the process. */
  release(): Promise<void>
}

/** Opens the lock of a key; `undefined` if it cannot be opened, which the store has reported. */
export async function openMintLock(store: TokenStore, deadline: Deadline): Promise<MintLock | undefined> {
  const { location, tryOrWarn } = store
  const path = toCacheFilePath(location, 'lock')
  const directory = await tryOrWarn(cacheProblem, () => createCacheDirectory(location.directory))
  const lock = directory && (await tryOrWarn(`cannot lock ${path}`, () => openLock(path)))
  return lock ? createMintLock(store, lock, deadline) : undefined
}

function createMintLock(store: TokenStore, lock: FileLock, deadline: Deadline): MintLock {
  const { location, tryOrWarn } = store
  const path = toCacheFilePath(location, 'lock')
  const notePath = toCacheFilePath(location, 'note')
  let isHeld = false
  let isKept = false
  let holder: LockHolder | undefined
  const note = async (noted: LockHolder): Promise<boolean> => {
    holder = noted
    if (!isHeld) return false
    // An error here affects only the messages of other runs.
    return deadline.during('cache', `writing ${notePath}`, () => writeNote(notePath, noted)).catch(() => false)
  }
  const noteStart = (now: number, askedPauseMs?: number) => note({ pid: observeProcessId(), since: now, askedPauseMs })
  const release = async () => {
    // The note of a failure stays for the runs that waited; the next mint replaces it.
    if (isHeld && holder && !holder.failed && !isKept) await removeNote(notePath)
    await lock.release()
  }
  return {
    tryAcquire: async () => {
      const isAcquired = await tryOrWarn(`cannot lock ${path}`, () => lock.tryAcquire())
      if (isAcquired === undefined) return 'unusable'
      isHeld = isAcquired
      return isHeld ? 'acquired' : 'busy'
    },
    findHolder: () => readNote(notePath),
    noteStart: async (now) => {
      await noteStart(now)
    },
    noteRenewal: (now, askedPauseMs) => {
      isKept = true
      return noteStart(now, askedPauseMs)
    },
    noteFailure: async (failed) => {
      if (holder) await note({ ...holder, failed })
    },
    write: async (entry) => {
      if (!isHeld) return
      await tryOrWarn('cannot store the token for the next run', async () => {
        await store.write(entry)
        isKept = false
      })
    },
    release: () => closeLock({ release }, path, deadline),
  }
}

/** Why a mint failed. The runs that wait for the lock report the same words. */
interface MintFailure {
  /** See `digestCaller`. */
  readonly callerFingerprint: string
  readonly kind: FailureKind
  readonly message: string
  readonly hint: string
}

/** The kinds of failure that the source causes. A deadline that has passed, or wrong usage, concerns only one run. */
const sharedKinds: readonly FailureKind[] = ['not-configured', 'sign-in-required', 'refused', 'unavailable']

/** Converts an error to the form for other runs; `undefined` for an error that concerns only this run. */
export function toMintFailure(error: unknown, callerFingerprint: string): MintFailure | undefined {
  if (!(error instanceof HelperError) || !sharedKinds.includes(error.kind)) return undefined
  return { callerFingerprint, kind: error.kind, message: error.message, hint: error.hint }
}

/** Converts the failure of another run to an error of this one. */
export function fromMintFailure({ kind, message, hint }: MintFailure): HelperError {
  return new HelperError(kind, message, hint)
}

/** The content of the note: the process that holds the lock and the start of its mint, or the last holder and why its mint failed. */
export interface LockHolder {
  readonly pid: number
  /** The start of the mint, in milliseconds since the epoch. */
  readonly since: number
  /** How long the source has asked not to be asked again after an early renewal, in milliseconds. */
  readonly askedPauseMs?: number | undefined
  readonly failed?: MintFailure | undefined
}

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | safeOpenFlags

/** Writes the note; false if that failed. Without a note, other runs cannot name the holder in messages, or ask the source themselves. */
async function writeNote(path: string, holder: LockHolder): Promise<boolean> {
  try {
    const file = await open(path, flags, 0o600)
    await file.writeFile(JSON.stringify(holder)).finally(() => file.close())
    return true
  } catch {
    return false
  }
}

/** Removes the note. A leftover note does no harm, because only the lock itself decides who mints. */
async function removeNote(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined)
}

/** Reads the note; `undefined` if the file is missing or incomplete, or if another user could have created it. */
export async function readNote(path: string): Promise<LockHolder | undefined> {
  try {
    const value: unknown = JSON.parse(await readCacheFile(path))
    const { pid, since, askedPauseMs, failed } = value as Record<string, unknown> // destructuring null or undefined throws
    if (typeof pid !== 'number' || typeof since !== 'number') return undefined
    const asked = typeof askedPauseMs === 'number' ? { askedPauseMs } : {}
    return { pid, since, ...asked, failed: parseMintFailure(failed) }
  } catch {
    return undefined // missing, or being written
  }
}

/** Parses a failure that {@link toMintFailure} returned; `undefined` for anything else. */
function parseMintFailure(value: unknown): MintFailure | undefined {
  if (!isObject(value)) return undefined
  const { callerFingerprint, kind, message, hint } = value
  if (typeof callerFingerprint !== 'string' || typeof message !== 'string' || typeof hint !== 'string') return undefined
  const known = sharedKinds.find((own) => own === kind)
  return known && { callerFingerprint, kind: known, message, hint }
}
