// Reads from disks that may hang: every read that a call waits for is known, so that a late call can name it.

import {
  access,
  type BigIntStats,
  close,
  constants,
  fstat,
  lstat,
  open,
  read,
  readlink,
  realpath,
  type Stats,
  stat,
} from 'node:fs'
import { join } from 'node:path'
import { HelperError } from './failure.ts'
import { describeLook, ownSystem, renderLookHint } from './text/quote.ts'

// File access of calls that are served from the cache. `node:fs/promises` offers the same, but loading it takes a good part
// of the time of such a call. Every function throws the system's error, for example `ENOENT`. None blocks this thread, which
// has a deadline to meet, when a file server does not respond: neither opening nor reading nor closing.

/** Flags for reading a file, also through a link, without waiting for the other end of a pipe. Windows has no such flag. */
export const unwaitingFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Flags for opening a file: never through a link, and never waiting for the other end of a pipe. Windows has no such flags. */
export const safeOpenFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** In bytes: the longest file that is read, because a device may have no end. Our decision. */
export const longestFileBytes = 5 * 1024 * 1024

/** The paths that are being opened, read or examined at the moment. */
const waiting = new Set<string>()

/**
 * Describes the files that this process waits for, for the message of a late call: ` (waiting for /home/u/token)`; empty if there are none.
 * @param others Paths that another part of the call waits for.
 */
export function describeWaiting(others: readonly string[] = []): string {
  const path = [...waiting].find((each) => !others.includes(each))
  return path === undefined ? '' : ` (waiting for ${path})`
}

/** The kind of a look at a file: opening it with these flags, or reading its status. */
export type LookKind = number | 'status' | 'link status'

/** One look at a file, and the system's answer: its status before it was read, or an error. */
export interface Look {
  readonly path: string
  readonly kind: LookKind
  readonly found: BigIntStats | Stats | NodeJS.ErrnoException
}

let observe: ((look: Look) => void) | undefined

/** Reports every look of this process to `observer`, until it is called without an observer. */
export function observeLooks(observer?: (look: Look) => void): void {
  observe = observer
}

/** Opens a file or a directory, reads it with `use`, and closes it without waiting for the close. */
export async function readWith<T>(path: string, flags: number, use: (file: number) => T | Promise<T>): Promise<T> {
  return recordWaiting(path, async () => {
    const file = await reportLook(path, flags, () => waitForCallback<number>((done) => open(path, flags, done)))
    try {
      observe?.({ path, kind: flags, found: await readExactStatus(file) })
      return await use(file)
    } finally {
      close(file, () => {})
    }
  })
}

/** Reads a file as UTF-8, and a pipe or a device until its end. Throws `EFBIG` for a longer one than {@link longestFileBytes}. */
export function readText(path: string): Promise<string> {
  return readWith(path, constants.O_RDONLY, (file) => readOpenFile(file))
}

/** Reads an open file as UTF-8; see {@link readOpenBytes}. */
export async function readOpenFile(file: number, size?: number): Promise<string> {
  return (await readOpenBytes(file, size)).toString('utf8')
}

/**
 * Reads an open file from its current position. It reads in steps, because Node does not list a waiting `readFile` among the active
 * resources by which `endProcess` decides.
 * @param size If it is known, no read is spent on finding the end.
 */
export async function readOpenBytes(file: number, size = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Buffer[] = []
  let total = 0
  while (total < size) {
    const chunk = Buffer.alloc(16_384)
    const length = await waitForCallback<number>((done) => read(file, chunk, 0, chunk.length, null, done))
    if (length === 0) break
    chunks.push(chunk.subarray(0, length))
    total += length
    if (total > longestFileBytes) throw Object.assign(new Error('the file is too long'), { code: 'EFBIG' })
  }
  return Buffer.concat(chunks)
}

/** Reads the status of an open file, which a rename in the meantime cannot change. */
export function readOpenStatus(file: number): Promise<Stats> {
  return waitForCallback((done) => fstat(file, done))
}

/** Reads the status of an open file with times in nanoseconds. */
export function readExactStatus(file: number): Promise<BigIntStats> {
  return waitForCallback((done) => fstat(file, { bigint: true }, done))
}

/** Reads the status of a file, and follows links. */
export function readStatus(path: string): Promise<Stats> {
  return readObservedStatus(path, 'status', (done) => stat(path, done))
}

/** Reads the status of a file, or of a link itself. */
export function readLinkStatus(path: string): Promise<Stats> {
  return readObservedStatus(path, 'link status', (done) => lstat(path, done))
}

/**
 * Reads the status of a file that this user may execute, with times in nanoseconds; `undefined` for any other file, and for a missing one.
 * No observer is called, because a search is recorded as a whole.
 */
export function readProgramStatus(path: string): Promise<BigIntStats | undefined> {
  return recordWaiting(path, async () => {
    try {
      const status = await waitForCallback<BigIntStats>((done) => stat(path, { bigint: true }, done))
      if (!status.isFile()) return undefined
      await waitForCallback((done) => access(path, constants.X_OK, (error) => done(error, undefined)))
      return status
    } catch {
      return undefined
    }
  })
}

/** Reads the path of a file with all links resolved. */
export function readRealPath(path: string): Promise<string> {
  return recordWaiting(path, () => waitForCallback<string>((done) => realpath.native(path, done)))
}

/** Reads the stored target of a link. */
export function readLinkTarget(path: string): Promise<string> {
  return recordWaiting(path, () => waitForCallback<string>((done) => readlink(path, done)))
}

async function readObservedStatus(
  path: string,
  kind: LookKind,
  start: (done: (error: Error | null, value: Stats) => void) => void,
): Promise<Stats> {
  const found = await recordWaiting(path, () => reportLook(path, kind, () => waitForCallback(start)))
  observe?.({ path, kind, found })
  return found
}

async function reportLook<T>(path: string, kind: LookKind, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    observe?.({ path, kind, found: error as NodeJS.ErrnoException })
    throw error
  }
}

/**
 * Waits until the file system of a directory responds. This precedes every synchronous call on it, which cannot be interrupted. Opening
 * reaches the file server even if the system has cached the directory.
 */
export async function waitForDirectory(directory: string): Promise<void> {
  try {
    await readWith(directory, constants.O_RDONLY, () => {})
  } catch {
    // An error is a response too.
  }
}

async function recordWaiting<T>(path: string, work: () => Promise<T>): Promise<T> {
  waiting.add(path)
  try {
    return await work()
  } finally {
    waiting.delete(path)
  }
}

/** Converts a callback of Node to a promise. */
export function waitForCallback<T>(start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) reject(error)
      else resolve(value)
    })
  })
}

const ahead = new Map<string, Promise<string | undefined>>()

/** Begins to read files ahead for the next {@link readIfPresent} of each. */
export function readAhead(paths: readonly string[]): void {
  for (const path of paths) {
    const reading = readNow(path)
    reading.catch(() => undefined) // readIfPresent reports the error
    ahead.set(path, reading)
  }
}

/**
 * Reads a file; `undefined` if it is missing, which means that nothing is configured.
 * @throws {HelperError} `not-configured` for any other error of reading.
 */
export function readIfPresent(path: string): Promise<string | undefined> {
  const begun = ahead.get(path)
  ahead.delete(path) // a later caller reads the file anew
  return begun ?? readNow(path)
}

async function readNow(path: string): Promise<string | undefined> {
  try {
    return await readText(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'EFBIG')
      throw new HelperError(
        'not-configured',
        `${path} is longer than ${longestFileBytes / 1024 / 1024} MiB`,
        `name another file; look at this one with: ${describeLook(path, ownSystem)}`,
      )
    throw toReadFailure(path, cause)
  }
}

/** Waits for work on the disk; `undefined` if what it needs is missing. @throws {NodeJS.ErrnoException} for anything else. */
export async function attemptUnlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Converts a failed read to a failure of the configuration. */
export function toReadFailure(path: string, cause: unknown, hint?: string): HelperError {
  const { code } = cause as NodeJS.ErrnoException
  const why = code === 'ENOTDIR' ? ': a part of the path is a file, not a directory' : ''
  const message = `cannot read ${path} (${code})${why}`
  return new HelperError('not-configured', message, hint ?? describeReadFix(path, code), { cause })
}

/** Replaces `~/` at the beginning by the home directory, so that one setting serves every user of a machine. */
export function expandHome(path: string, home: string): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : path
}

function describeReadFix(path: string, code: string | undefined): string {
  if (code === 'EACCES' || code === 'EPERM')
    return `make it readable for the user who runs this; see who may: ${describeLook(path, ownSystem)}`
  if (code === 'EISDIR') return `it is a directory: name a file`
  if (code === 'ENOTDIR') return 'name a path in a directory'
  return renderLookHint(path)
}
