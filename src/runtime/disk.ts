import { closeSync, constants, lstat, open, read, type Stats, stat } from 'node:fs'

// File access of calls that are served from the cache. `node:fs/promises` offers the same, but loading it takes a good part
// of the time of such a call. Every function throws the system's error, for example `ENOENT`. None blocks this thread, which
// has a deadline to meet, when a file server does not respond.

/** Flags for opening a file: never through a link, and never waiting for the other end of a pipe. Windows has no such flags. */
export const safeOpenFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Opens a file, reads it with `use`, and closes it. */
export async function readWith<T>(path: string, flags: number, use: (file: number) => T | Promise<T>): Promise<T> {
  const file = await toPromise<number>((done) => open(path, flags, done))
  try {
    return await use(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Reads a file as UTF-8, and a pipe or a device until its end. It reads in steps, because Node does not list a `readFile` that
 * waits among the active resources by which `endProcess` decides.
 */
export function readText(path: string): Promise<string> {
  return readWith(path, constants.O_RDONLY, async (file) => {
    const chunks: Buffer[] = []
    for (;;) {
      const chunk = Buffer.alloc(16_384)
      const length = await toPromise<number>((done) => read(file, chunk, 0, chunk.length, null, done))
      if (length === 0) return Buffer.concat(chunks).toString('utf8')
      chunks.push(chunk.subarray(0, length))
    }
  })
}

/** The status of a file; links are followed. */
export function readStatus(path: string): Promise<Stats> {
  return toPromise((done) => stat(path, done))
}

/** The status of a file; of a link, the link's own. */
export function readLinkStatus(path: string): Promise<Stats> {
  return toPromise((done) => lstat(path, done))
}

function toPromise<T>(start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) reject(error)
      else resolve(value)
    })
  })
}
