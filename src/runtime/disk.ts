import {
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

// File access of calls that are served from the cache. `node:fs/promises` offers the same, but loading it takes a good part
// of the time of such a call. Every function throws the system's error, for example `ENOENT`. None blocks this thread, which
// has a deadline to meet, when a file server does not respond: neither opening nor reading nor closing.

/** Flags for opening a file: never through a link, and never waiting for the other end of a pipe. Windows has no such flags. */
export const safeOpenFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** No file that is read is longer; a device may have no end. Our decision. */
export const longestFileBytes = 5 * 1024 * 1024

/** What is being opened, read or examined at the moment. */
const waiting = new Set<string>()

/**
 * What this process waits for on disk, for the message of a call that is late: ` (waiting for /home/u/token)`, or nothing.
 * @param others Paths that something else waits for.
 */
export function describeWaiting(others: readonly string[] = []): string {
  const path = [...waiting].find((each) => !others.includes(each))
  return path === undefined ? '' : ` (waiting for ${path})`
}

/** How a file was looked at: opened with these flags, or its status asked for. */
export type LookKind = number | 'status' | 'link status'

/** One look at a file, and what the system said: its status before it was read, or an error. */
export interface Look {
  readonly path: string
  readonly kind: LookKind
  readonly found: BigIntStats | Stats | NodeJS.ErrnoException
}

let observe: ((look: Look) => void) | undefined

/** Has every look of this process told to `observer`, until it is called without one. */
export function observeLooks(observer?: (look: Look) => void): void {
  observe = observer
}

/** Opens a file or a directory, reads it with `use`, and closes it. The close is not waited for. */
export async function readWith<T>(path: string, flags: number, use: (file: number) => T | Promise<T>): Promise<T> {
  return whileWaiting(path, async () => {
    const file = await looking(path, flags, () => toPromise<number>((done) => open(path, flags, done)))
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

/**
 * Reads an open file as UTF-8, from where it stands. It reads in steps, because Node does not list a `readFile` that waits
 * among the active resources by which `endProcess` decides.
 * @param size Where it is known, no read is spent on finding the end.
 */
export async function readOpenFile(file: number, size = Number.POSITIVE_INFINITY): Promise<string> {
  const chunks: Buffer[] = []
  let total = 0
  while (total < size) {
    const chunk = Buffer.alloc(16_384)
    const length = await toPromise<number>((done) => read(file, chunk, 0, chunk.length, null, done))
    if (length === 0) break
    chunks.push(chunk.subarray(0, length))
    total += length
    if (total > longestFileBytes) throw Object.assign(new Error('the file is too long'), { code: 'EFBIG' })
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The status of an open file. */
export function readOpenStatus(file: number): Promise<Stats> {
  return toPromise((done) => fstat(file, done))
}

/** The same with times in nanoseconds. */
export function readExactStatus(file: number): Promise<BigIntStats> {
  return toPromise((done) => fstat(file, { bigint: true }, done))
}

/** The status of a file; links are followed. */
export function readStatus(path: string): Promise<Stats> {
  return readObservedStatus(path, 'status', (done) => stat(path, done))
}

/** The status of a file; of a link, the link's own. */
export function readLinkStatus(path: string): Promise<Stats> {
  return readObservedStatus(path, 'link status', (done) => lstat(path, done))
}

/** The path of the same file without links. */
export function readRealPath(path: string): Promise<string> {
  return whileWaiting(path, () => toPromise<string>((done) => realpath.native(path, done)))
}

/** Where a link leads, as it says it. */
export function readLinkTarget(path: string): Promise<string> {
  return whileWaiting(path, () => toPromise<string>((done) => readlink(path, done)))
}

async function readObservedStatus(
  path: string,
  kind: LookKind,
  start: (done: (error: Error | null, value: Stats) => void) => void,
): Promise<Stats> {
  const found = await whileWaiting(path, () => looking(path, kind, () => toPromise(start)))
  observe?.({ path, kind, found })
  return found
}

/** Tells of a look that failed. */
async function looking<T>(path: string, kind: LookKind, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    observe?.({ path, kind, found: error as NodeJS.ErrnoException })
    throw error
  }
}

/**
 * Waits until the file system of a directory responds. A synchronous call on it cannot be interrupted, so this comes before each.
 * Opening asks the file server, whatever the system remembers of the directory.
 */
export async function waitForDirectory(directory: string): Promise<void> {
  try {
    await readWith(directory, constants.O_RDONLY, () => {})
  } catch {
    // It has responded.
  }
}

async function whileWaiting<T>(path: string, work: () => Promise<T>): Promise<T> {
  waiting.add(path)
  try {
    return await work()
  } finally {
    waiting.delete(path)
  }
}

/** A callback of Node as a promise. */
export function toPromise<T>(start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) reject(error)
      else resolve(value)
    })
  })
}
