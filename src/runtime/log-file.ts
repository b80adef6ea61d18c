import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { effectiveUser } from './host.ts'

/** A log that has grown to this is renamed to `….1`, in the place of the one before. */
export const longestLogBytes = 1024 * 1024

/**
 * Appends one line with one write, so that runs at the same time never tear each other's. Synchronous, because a call that
 * is over its deadline may have every thread stuck.
 * @throws {LogRefusal} for a file that somebody else could have put there or can change; or the system's error.
 */
export function appendToLog(path: string, line: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  refuseIfOthersCanReplace(dirname(path))
  const file = openForAppend(path)
  try {
    const stats = fstatSync(file)
    refuseIfShared(path, stats)
    if ((stats.mode & 0o077) !== 0) fchmodSync(file, 0o600)
    const bytes = writeSync(file, `${line}\n`)
    if (stats.size + bytes >= longestLogBytes) rotateLog(path, stats)
  } finally {
    closeSync(file)
  }
}

/** Why a line could not be appended, in words. */
export function describeLogProblem(error: unknown): string {
  if (error instanceof LogRefusal) return error.message
  const { code = 'unknown error', path = 'the file' } = error as NodeJS.ErrnoException
  return `${code} at ${path}`
}

/** The log is there, and somebody else could have put it there. */
export class LogRefusal extends Error {}

/** Neither follows a link nor waits for the reader of a FIFO. Windows has no such flags. */
function openForAppend(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  try {
    return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP') throw new LogRefusal(`${path} is a link: name the file itself`)
    if (code === 'ENXIO') throw new LogRefusal(`${path} is not a file`)
    throw error
  }
}

function refuseIfShared(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new LogRefusal(`${path} is not a file`)
  const user = effectiveUser()
  if (user === undefined) return // the access list of the user's own directories protects it
  if (stats.uid !== user) throw new LogRefusal(`${path} belongs to another user`)
  if (stats.nlink > 1) throw new LogRefusal(`${path} has a second name: name another file`)
  if ((stats.mode & 0o022) !== 0)
    throw new LogRefusal(`${path} can be written by other users (run: chmod 600 '${path}')`)
}

/** In a directory with the sticky bit, such as /tmp, nobody can move what belongs to another. */
function refuseIfOthersCanReplace(directory: string): void {
  const { mode } = statSync(directory)
  if (effectiveUser() !== undefined && (mode & 0o022) !== 0 && (mode & 0o1000) === 0)
    throw new LogRefusal(`${directory} can be written by other users (run: chmod go-w '${directory}')`)
}

/** Renames a log, and only the file that was written to: another run may have renamed it already. */
export function rotateLog(path: string, { ino }: Stats): void {
  try {
    if (lstatSync(path).ino === ino) renameSync(path, `${path}.1`)
  } catch (error) {
    // It moved in this moment, and whoever writes next makes a new one.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
