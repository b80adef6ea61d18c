import type { Stats } from 'node:fs'
import { lstat, open, readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** More directory entries than a helper's cache has, fewer than a source tree. */
const maxEntries = 20_000

/** How much is read of a file, from its end; the last lines of a log are the new ones. */
const maxBytes = 1024 * 1024

const skipped = new Set(['node_modules', '.git', 'Trash', '.Trash'])

/** A file that changed and that every user of the machine can read, with the end of its text. */
export interface ReadableFile {
  readonly path: string
  readonly text: string
}

/**
 * Finds files under `roots` that have changed since `since` (epoch milliseconds) and that every user can read; the
 * directories above them count too. Files that vanish meanwhile or cannot be read are skipped.
 */
export async function findReadableChanges(roots: readonly string[], since: number): Promise<ReadableFile[]> {
  const found: ReadableFile[] = []
  const queue = new Set(await findPublicRoots(roots))
  let entries = 0
  for (const directory of queue) {
    for (const name of entries > maxEntries ? [] : await readdir(directory).catch(() => [])) {
      const path = join(directory, name)
      entries += 1
      const stats = await lstat(path).catch(() => undefined)
      if (stats?.isDirectory() && (stats.mode & 0o001) !== 0 && !skipped.has(name)) queue.add(path)
      if (stats && isPublicAndNew(stats, since)) found.push({ path, text: await readEnd(path, stats.size) })
    }
  }
  return found
}

function isPublicAndNew(stats: Stats, since: number): boolean {
  return stats.isFile() && (stats.mode & 0o004) !== 0 && Math.max(stats.mtimeMs, stats.ctimeMs) >= since
}

/** The roots that every user can enter. */
async function findPublicRoots(roots: readonly string[]): Promise<string[]> {
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)))
  const found: string[] = []
  for (const root of new Set(real)) if (root !== undefined && (await isPubliclyReachable(root))) found.push(root)
  return found
}

async function isPubliclyReachable(directory: string): Promise<boolean> {
  const { mode } = await lstat(directory)
  if ((mode & 0o001) === 0) return false
  return dirname(directory) === directory || isPubliclyReachable(dirname(directory))
}

async function readEnd(path: string, size: number): Promise<string> {
  try {
    await using file = await open(path)
    const start = Math.max(0, size - maxBytes)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - start), position: start })
    return buffer.subarray(0, bytesRead).toString('latin1')
  } catch {
    return '' // deleted meanwhile, or unreadable for us
  }
}
