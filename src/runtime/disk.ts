import { closeSync, constants, lstat, open, read, type Stats, stat } from 'node:fs'

// What a call that is served from the cache asks of the disk. `node:fs/promises` has the same, and takes a good part of
// the time that such a call may cost to load. Everything throws the system's error, for example `ENOENT`. A server of
// files that does not answer keeps a thread waiting and not this one, which has a deadline to meet.

/** Opening never follows a link, and never waits for the other end of a pipe, where the system knows such flags. */
export const carefully = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Opens a file, and closes it after `use`. */
export async function withFile<T>(path: string, flags: number, use: (file: number) => T | Promise<T>): Promise<T> {
  const file = await settle<number>((done) => open(path, flags, done))
  try {
    return await use(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Reads a file as UTF-8; of a pipe or a device, whatever comes until its end. In steps, because the runtime does not list
 * a `readFile` that waits among its active resources, and whoever ends the process asks for those.
 */
export function readText(path: string): Promise<string> {
  return withFile(path, constants.O_RDONLY, async (file) => {
    const chunks: Buffer[] = []
    for (;;) {
      const chunk = Buffer.alloc(16_384)
      const length = await settle<number>((done) => read(file, chunk, 0, chunk.length, null, done))
      if (length === 0) return Buffer.concat(chunks).toString('utf8')
      chunks.push(chunk.subarray(0, length))
    }
  })
}

export function readStatus(path: string): Promise<Stats> {
  return settle((done) => stat(path, done))
}

/** Of a link, its own. */
export function readOwnStatus(path: string): Promise<Stats> {
  return settle((done) => lstat(path, done))
}

function settle<T>(ask: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    ask((error, value) => {
      if (error) reject(error)
      else resolve(value)
    })
  })
}
