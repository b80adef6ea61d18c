import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Deadline } from '../../../runtime/deadline.ts'
import {
  attemptUnlessMissing,
  longestFileBytes,
  readLinkStatus,
  readOpenFile,
  readOpenStatus,
  readWith,
  safeOpenFlags,
  toReadFailure,
} from '../../../runtime/disk.ts'
import { findErrorCode, HelperError } from '../../../runtime/failure.ts'
import { changeUnderLock, type LockedChange } from '../../../runtime/files/change-under-lock.ts'
import { type FileLock, openLock } from '../../../runtime/files/file-lock.ts'
import { createDirectory, UnsafeCacheError } from '../../../runtime/files/private-files.ts'
import { toWriteFailure, writeDurably } from '../../../runtime/files/replace-file.ts'
import { findEffectiveUser } from '../../../runtime/host.ts'
import { escapeNonAscii } from '../../../runtime/text/escape.ts'
import { describeLook, describeRemoval, ownSystem, quoteWord, renderLookHint } from '../../../runtime/text/quote.ts'

/**
 * Reads a file that other AWS tools write too, never through a link and never another user's; `undefined` if it is missing. A group may
 * have write permission, because the other tools create the file with the user's umask, such as 002.
 * @throws {HelperError} `not-configured` for a file that is not this user's own, or that cannot be read.
 */
export async function readSharedFile(path: string): Promise<string | undefined> {
  try {
    // Detects a link on a system without `O_NOFOLLOW`.
    refuseForeignFile(path, await readLinkStatus(path))
    return await readWith(path, safeOpenFlags, async (file) => {
      const status = await readOpenStatus(file)
      refuseForeignFile(path, status)
      return readOpenFile(file, status.size)
    })
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined
    throw toSharedFailure(path, error)
  }
}

function refuseForeignFile(path: string, status: Stats): void {
  const problem = validateStatus(path, status)
  if (problem) throw new HelperError('not-configured', `${path} ${problem.message}`, problem.hint)
}

function validateStatus(path: string, status: Stats): { message: string; hint: string } | undefined {
  const { mode, uid } = status
  if (status.isSymbolicLink())
    return {
      message: 'is a link, through which no sign-in is read or written',
      hint: `remove it with: ${describeRemoval(path, 'file', ownSystem)}`,
    }
  if (!status.isFile())
    return {
      message: 'is not a regular file',
      hint: `${renderLookHint(path)}; then remove it`,
    }
  const user = findEffectiveUser()
  if (user === undefined) return undefined // on Windows the access list of the user's profile protects it
  if (uid !== user)
    return {
      message: 'belongs to another user',
      hint: `see whose it is with: ${describeLook(path, ownSystem)}; then remove it`,
    }
  if ((mode & 0o002) !== 0)
    return { message: 'can be written by every user of this machine', hint: `run: chmod o-w ${quoteWord(path)}` }
  return undefined
}

function toSharedFailure(path: string, error: unknown): unknown {
  const code = findErrorCode(error)
  if (error instanceof HelperError || code === undefined) return error
  if (code !== 'EFBIG') return toReadFailure(path, error)
  return new HelperError(
    'not-configured',
    `${path} is longer than ${longestFileBytes / 1024 / 1024} MiB, which no sign-in is`,
    `remove it with: ${describeRemoval(path, 'file', ownSystem)}`,
    { cause: error },
  )
}

/** A shared file, locked against other helpers but not against other programs. */
export interface LockedFile {
  /** See {@link readSharedFile}. */
  read(): Promise<string | undefined>
  /** See {@link writeSharedFile}. */
  write(text: string): Promise<void>
}

interface SharedChange<T> extends Omit<LockedChange<T>, 'make'> {
  /** Computes the result under the lock. It has to read the file again first. */
  make(file: LockedFile): Promise<T>
}

/**
 * Changes a file that is shared with other AWS tools, under a lock that only helpers use. The lock is beside the file, so that every user
 * who may write the file may also lock it.
 * @throws {HelperError} `not-configured` if the file cannot be locked; `late` at the deadline; or what `make` throws.
 */
export function changeSharedFile<T>(path: string, deadline: Deadline, change: SharedChange<T>): Promise<T | undefined> {
  const lockPath = `${path}.lock`
  const file = { read: () => readSharedFile(path), write: (text: string) => writeSharedFile(path, text) }
  const location = { path: lockPath, open: () => openSharedLock(path, lockPath) }
  return changeUnderLock(location, deadline, { ...change, make: () => change.make(file) })
}

/**
 * Replaces a whole shared file, readable by this user alone. The caller must hold its lock.
 * @throws {HelperError} `not-configured` for a target that is not this user's own, or that cannot be written; the draft is removed first.
 */
async function writeSharedFile(path: string, text: string): Promise<void> {
  try {
    await refuseForeignTarget(path)
    await writeDurably(path, text, `${path}.gatepass`)
  } catch (error) {
    throw toWriteFailure(path, error)
  }
}

async function openSharedLock(path: string, lockPath: string): Promise<FileLock> {
  await prepareSharedDirectory(path)
  try {
    return await openLock(lockPath)
  } catch (error) {
    if (!(error instanceof UnsafeCacheError)) throw toWriteFailure(lockPath, error)
    throw new HelperError('not-configured', error.message, renderLookHint(lockPath), {
      cause: error,
    })
  }
}

/**
 * Creates the directory of a shared file for this user alone, if it is missing. A link to a directory of the same user is followed,
 * because some people keep their settings on another disk.
 * @throws {HelperError} `not-configured` for a directory that is another user's or cannot be created.
 */
async function prepareSharedDirectory(path: string): Promise<void> {
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
  if (problem) throw new HelperError('not-configured', `${directory} ${problem}`, renderLookHint(directory))
}

/**
 * Refuses to replace a file that is not this user's own; a missing file is accepted.
 * @throws {HelperError} `not-configured`, or the system's error.
 */
async function refuseForeignTarget(path: string): Promise<void> {
  const status = await attemptUnlessMissing(readLinkStatus(path))
  if (status) refuseForeignFile(path, status)
}

/**
 * Renders JSON as Python's `json.dumps`, and so the AWS CLI, does: with a space after `,` and `:`, and in ASCII only. A member that is
 * `undefined` is left out.
 */
export function renderPythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderPythonJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return renderAscii(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${renderAscii(name)}: ${renderPythonJson(member)}`).join(', ')}}`
}

function renderAscii(value: unknown): string {
  return escapeNonAscii(JSON.stringify(value))
}

/** Renders a time as the AWS CLI does, in whole seconds: `2026-01-31T12:00:00Z`. @param ms In milliseconds since the epoch. */
export function renderCliTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
