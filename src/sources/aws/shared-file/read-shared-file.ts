import type { Stats } from 'node:fs'
import {
  longestFileBytes,
  readLinkStatus,
  readOpenFile,
  readOpenStatus,
  readWith,
  safeOpenFlags,
} from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { findEffectiveUser } from '../../../runtime/host.ts'

/**
 * Reads a file that other AWS tools write too, never through a link and never another user's; `undefined` where it is missing.
 * Group and mode are those that the other tools gave it: with a umask of 002 a group may write it.
 * @throws {HelperError} `not-configured` for a file that is not this user's own, or that cannot be read.
 */
export async function readSharedFile(path: string): Promise<string | undefined> {
  try {
    // Where the system has no flag for it, this is what recognizes a link.
    refuseForeignFile(path, await readLinkStatus(path))
    return await readWith(path, safeOpenFlags, async (file) => {
      const status = await readOpenStatus(file)
      refuseForeignFile(path, status)
      return readOpenFile(file, status.size)
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw toReadFailure(path, error)
  }
}

/**
 * Refuses to replace a file that is not this user's own; a missing one is nobody's.
 * @throws {HelperError} `not-configured`, or the system's error.
 */
export async function refuseForeignTarget(path: string): Promise<void> {
  try {
    refuseForeignFile(path, await readLinkStatus(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function refuseForeignFile(path: string, status: Stats): void {
  const problem = findProblem(path, status)
  if (problem) throw new HelperError('not-configured', `${path} ${problem.message}`, problem.hint)
}

function findProblem(path: string, status: Stats): { message: string; hint: string } | undefined {
  const { mode, uid } = status
  if (status.isSymbolicLink())
    return { message: 'is a link, through which no sign-in is read or written', hint: `remove it with: rm '${path}'` }
  if (!status.isFile())
    return { message: 'is not a regular file', hint: `look at it with: ls -ld '${path}'; then remove it` }
  const user = findEffectiveUser()
  if (user === undefined) return undefined // on Windows the access list of the user's profile protects it
  if (uid !== user)
    return { message: 'belongs to another user', hint: `see whose it is with: ls -ld '${path}'; then remove it` }
  if ((mode & 0o002) !== 0)
    return { message: 'can be written by every user of this machine', hint: `run: chmod o-w '${path}'` }
  return undefined
}

function toReadFailure(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof HelperError || code === undefined) return error
  const options = { cause: error }
  if (code === 'EFBIG')
    return new HelperError(
      'not-configured',
      `${path} is longer than ${longestFileBytes / 1024 / 1024} MiB, which no sign-in is`,
      `remove it with: rm '${path}'`,
      options,
    )
  const hint = `make it readable for the user who runs this; see who may: ls -ld '${path}'`
  return new HelperError('not-configured', `cannot read ${path} (${code})`, hint, options)
}
