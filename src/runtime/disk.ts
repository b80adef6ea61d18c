import {
  closeSync,
  constants,
  fstatSync,
  lstat,
  lstatSync,
  open,
  openSync,
  readFile,
  readFileSync,
  type Stats,
  stat,
  statSync,
} from 'node:fs'
import { sep } from 'node:path'

// What a call that is served from the cache asks of the disk. `node:fs/promises` has the same, and takes a good part of
// the time that such a call may cost to load. Everything throws the system's error, for example `ENOENT`.

/** Opening never follows a link, and never waits for the other end of a pipe, where the system knows such flags. */
export const carefully = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a file to read it, and closes it after `use`, which may read a regular file without waiting. A server of files
 * that does not answer keeps a thread waiting and not this one, which has a deadline to meet.
 */
export async function withFile<T>(path: string, flags: number, use: (file: number) => T | Promise<T>): Promise<T> {
  const file =
    hasAnswered(path) && isRegular(path)
      ? openSync(path, flags | constants.O_NONBLOCK) // it may be another one by now, such as a pipe
      : await settle<number>(path, (done) => open(path, flags, done))
  try {
    return await use(file)
  } finally {
    closeSync(file)
  }
}

/** Reads a file as UTF-8; of a pipe or a device, whatever comes until its end. */
export function readText(path: string): Promise<string> {
  if (!knowsNotToWait) return settle(path, (done) => readFile(path, 'utf8', done))
  return withFile(path, constants.O_RDONLY, (file) => {
    const status = fstatSync(file)
    // Of a directory that stands open the asynchronous one reads nothing, and says nothing.
    if (status.isFile() || status.isDirectory()) return readFileSync(file, 'utf8')
    return settle<string>(path, (done) => readFile(file, 'utf8', done))
  })
}

export function readStatus(path: string): Promise<Stats> {
  return settle(path, (done) => stat(path, done))
}

/** Of a link, its own. */
export async function readOwnStatus(path: string): Promise<Stats> {
  return hasAnswered(path) ? lstatSync(path) : settle(path, (done) => lstat(path, done))
}

/** Trees of directories, such as `/home/somebody`, of which the system has told something: asking directly is several times faster. */
const answering = new Set<string>()

/** Not on Windows, where what is read may be the end of a pipe and look like a file. */
const knowsNotToWait = constants.O_NONBLOCK !== undefined

function hasAnswered(path: string): boolean {
  return knowsNotToWait && answering.has(treeOf(path))
}

function treeOf(path: string): string {
  return path.split(sep, 3).join(sep)
}

/** What is missing is told as quickly. */
function isRegular(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? true
}

function settle<T>(path: string, ask: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    ask((error, value) => {
      answering.add(treeOf(path))
      if (error) reject(error)
      else resolve(value)
    })
  })
}
