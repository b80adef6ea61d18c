import { constants, lstatSync, renameSync, type Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { safeOpenFlags } from '../disk.ts'
import { findErrorCode, renderErrorCode } from '../failure.ts'
import { findEffectiveUser } from '../host.ts'
import { quoteWord } from '../text/quote.ts'
import { hasStickyBit, isOpenToOthers } from '../unsafe-links.ts'
import { createDirectory, describeOpenPath } from './private-files.ts'

/**
 * Appends one line with one write, so that lines of parallel runs do not mix.
 * @throws {UnsafeLogError} for a file that another user could have created or can change; or the system's error.
 */
export async function appendToLog(path: string, line: string): Promise<void> {
  await createDirectory(dirname(path))
  await refuseWritableDirectory(dirname(path))
  const file = await openForAppend(path)
  try {
    const stats = await file.stat()
    refuseSharedLog(path, stats)
    if ((stats.mode & 0o077) !== 0) await file.chmod(0o600)
    const { bytesWritten } = await file.write(`${line}\n`)
    if (stats.size + bytesWritten >= longestLogBytes) rotateLog(path, stats)
  } finally {
    await file.close()
  }
}

/** In bytes: a log of this size is renamed to `….1` and replaces the earlier one. Our decision. */
const longestLogBytes = 1024 * 1024

/** Describes why {@link appendToLog} failed. */
export function describeLogProblem(error: unknown): string {
  if (error instanceof UnsafeLogError) return error.message
  const { path = 'the file' } = error as NodeJS.ErrnoException
  return `${renderErrorCode(error)} at ${path}`
}

/** The error of a log that another user could have created or can change. */
class UnsafeLogError extends Error {}

/** Refuses a directory in which others can replace files. */
async function refuseWritableDirectory(directory: string): Promise<void> {
  const status = await stat(directory)
  if (findEffectiveUser() !== undefined && isOpenToOthers(status) && !hasStickyBit(status))
    throw new UnsafeLogError(describeOpenPath(directory))
}

/** Opens a log for appending, without following a link or waiting for the reader of a FIFO. */
async function openForAppend(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT } = constants
  try {
    return await open(path, O_WRONLY | O_APPEND | O_CREAT | safeOpenFlags, 0o600)
  } catch (error) {
    const code = findErrorCode(error)
    if (code === 'ELOOP') throw new UnsafeLogError(`${path} is a link: name the file itself`)
    if (code === 'ENXIO') throw new UnsafeLogError(`${path} is not a file`)
    throw error
  }
}

function refuseSharedLog(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new UnsafeLogError(`${path} is not a file`)
  const user = findEffectiveUser()
  if (user === undefined) return // on Windows the access list of the user's profile protects it
  if (stats.uid !== user) throw new UnsafeLogError(`${path} belongs to another user`)
  if (stats.nlink > 1) throw new UnsafeLogError(`${path} has a second name: name another file`)
  if (isOpenToOthers(stats))
    throw new UnsafeLogError(`${path} can be written by other users (run: chmod 600 ${quoteWord(path)})`)
}

/**
 * Renames a log, and only the file that was written to: another run may have renamed it already. Both calls are synchronous, so
 * that no time for another run lies between them; the file system has just responded.
 */
export function rotateLog(path: string, { ino }: Pick<Stats, 'ino'>): void {
  try {
    if (lstatSync(path).ino === ino) renameSync(path, `${path}.1`)
  } catch (error) {
    // ENOENT: another run has just renamed it, and the next line creates a new one.
    if (findErrorCode(error) !== 'ENOENT') throw error
  }
}
