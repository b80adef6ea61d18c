import type { Stats } from 'node:fs'
import { lstat, open, readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Enough for a cache, not for somebody's source tree. */
const mostEntries = 20_000

/** Of a longer file, such as a log, the end is read. */
const mostBytes = 1024 * 1024

const skipped = new Set(['node_modules', '.git', 'Trash', '.Trash'])

/** A file that changed and that every user of the machine can read, with the end of its text. */
export interface ReadableFile {
  readonly path: string
  readonly text: string
}

/**
 * Finds what has changed under `roots` since a moment and is open to everybody, directories on the way included. Files
 * that vanish or refuse meanwhile are passed over.
 */
export async function findReadableChanges(roots: readonly string[], since: number): Promise<ReadableFile[]> {
  const found: ReadableFile[] = []
  const queue = new Set(await openRoots(roots))
  let entries = 0
  for (const directory of queue) {
    for (const name of entries > mostEntries ? [] : await readdir(directory).catch(() => [])) {
      const path = join(directory, name)
      entries += 1
      const stats = await lstat(path).catch(() => undefined)
      if (stats?.isDirectory() && (stats.mode & 0o001) !== 0 && !skipped.has(name)) queue.add(path)
      if (stats && isOpenAndNew(stats, since)) found.push({ path, text: await readEnd(path, stats.size) })
    }
  }
  return found
}

function isOpenAndNew(stats: Stats, since: number): boolean {
  return stats.isFile() && (stats.mode & 0o004) !== 0 && Math.max(stats.mtimeMs, stats.ctimeMs) >= since
}

/** The roots that everybody can get into. */
async function openRoots(roots: readonly string[]): Promise<string[]> {
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)))
  const open: string[] = []
  for (const root of new Set(real)) if (root !== undefined && (await isOpenUpwards(root))) open.push(root)
  return open
}

async function isOpenUpwards(directory: string): Promise<boolean> {
  const { mode } = await lstat(directory)
  if ((mode & 0o001) === 0) return false
  return dirname(directory) === directory || isOpenUpwards(dirname(directory))
}

async function readEnd(path: string, size: number): Promise<string> {
  try {
    await using file = await open(path)
    const start = Math.max(0, size - mostBytes)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - start), position: start })
    return buffer.subarray(0, bytesRead).toString('latin1')
  } catch {
    return '' // gone again, or not ours to read
  }
}
