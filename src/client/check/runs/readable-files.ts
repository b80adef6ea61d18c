import { closeSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'

/** How much is looked at: more than a helper's folders hold, less than a source tree. */
const searchLimits = { entries: 20_000, ms: 5000 } as const

/** How much is read of a new file, from its end, because the last lines of a log are the new ones. */
const newFileBytes = 1024 * 1024

/** An older file is read only up to this size, which the cache of a helper does not exceed. */
const oldFileBytes = 64 * 1024

const skipped = new Set(['node_modules', '.git', 'Trash', '.Trash'])

/** A file that every user of the machine can read as far as its own mode goes, with the end of its text. */
export interface ReadableFile {
  readonly path: string
  readonly text: string
  /** Whether it has changed since the time that was asked for. */
  readonly isNew: boolean
  /** Whether the directories above it let every user in; they may do so on another machine only. */
  readonly isReachable: boolean
}

/** A directory to search. */
export interface SearchRoot {
  readonly path: string
  /** Whether it lets nobody else in on any machine, such as the runtime directory of a session. */
  readonly isAlwaysPrivate: boolean
}

/** What was found, and whether everything was looked at. */
export interface FileSearch {
  readonly files: readonly ReadableFile[]
  readonly isComplete: boolean
}

/**
 * Finds files under `roots`, the first ones first, that every user can read: those that have changed since `since` (epoch
 * milliseconds), and small ones that are older. What lies in a directory below a root that others cannot enter is left
 * out, and so are files that vanish meanwhile or cannot be read.
 */
export async function findReadableFiles(
  roots: readonly SearchRoot[],
  since: number,
  limits: Readonly<Record<keyof typeof searchLimits, number>> = searchLimits,
): Promise<FileSearch> {
  const files: ReadableFile[] = []
  const endAt = performance.now() + limits.ms
  let entries = 0
  for await (const { path, stats, isReachable } of walk(roots)) {
    entries += 1
    if (entries > limits.entries || performance.now() > endAt) return { files, isComplete: false }
    const isNew = Math.max(stats.mtimeMs, stats.ctimeMs) >= since
    if (stats.isFile() && (stats.mode & 0o004) !== 0 && (isNew || stats.size <= oldFileBytes))
      files.push({ path, text: readEnd(path, stats.size), isNew, isReachable })
  }
  return { files, isComplete: true }
}

interface Entry {
  readonly path: string
  readonly stats: Stats
  readonly isReachable: boolean
}

/** Every entry below the roots once, the upper ones first. */
async function* walk(roots: readonly SearchRoot[]): AsyncGenerator<Entry> {
  const seen = new Set<string>()
  for (const root of roots) {
    const top = await realpath(root.path).catch(() => undefined)
    const isReachable = top !== undefined && (await isPubliclyReachable(top))
    const queue = new Set(top === undefined || (root.isAlwaysPrivate && !isReachable) ? [] : [top])
    for (const directory of queue) {
      const names = seen.has(directory) ? [] : await readdir(directory).catch(() => [])
      seen.add(directory)
      for (const name of names) {
        const path = join(directory, name)
        const stats = readStats(path)
        if (stats && isOpenDirectory(stats) && !skipped.has(name)) queue.add(path)
        if (stats) yield { path, stats, isReachable }
      }
    }
  }
}

function isOpenDirectory(stats: Stats): boolean {
  return stats.isDirectory() && (stats.mode & 0o001) !== 0
}

async function isPubliclyReachable(directory: string): Promise<boolean> {
  const { mode } = await lstat(directory)
  if ((mode & 0o001) === 0) return false
  return dirname(directory) === directory || isPubliclyReachable(dirname(directory))
}

/** Synchronous, as {@link readEnd} is: for thousands of entries that takes a seventh of the time. */
function readStats(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined // deleted meanwhile, or in a directory that we cannot enter
  }
}

function readEnd(path: string, size: number): string {
  const start = Math.max(0, size - newFileBytes)
  const buffer = Buffer.alloc(size - start)
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, start))
  } catch {
    return '' // deleted meanwhile, or unreadable for us
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
