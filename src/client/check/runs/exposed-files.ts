import { closeSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { userDirectories } from '../../../runtime/files/private-files.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import type { SecretSearch } from './secret-search.ts'

/** The findings of a file search, and whether it was complete. */
export interface ExposureSearch {
  readonly files: readonly ExposedFile[]
  readonly isComplete: boolean
}

/** Searches the directories into which a helper writes for files with secrets. */
export async function collectExposedFiles(
  secrets: SecretSearch,
  env: Environment,
  since: number,
): Promise<ExposureSearch> {
  if (secrets.isEmpty()) return { files: [], isComplete: true }
  const { files, isComplete } = await collectReadableFiles(listRoots(env), since, searchLimits)
  const exposed = files.flatMap(({ path, text, isNew, isReachable }) => {
    const what = secrets.find(text, isNew ? 'new-file' : 'old-file')
    return what === undefined ? [] : [{ path, what, isReachable }]
  })
  return { files: exposed, isComplete }
}

/** A file with a secret that is readable for every user by its own mode. */
interface ExposedFile {
  readonly path: string
  /** The secret, such as `the token`. */
  readonly what: string
  /** Whether every user can enter the directories above it on this machine. */
  readonly isReachable: boolean
}

/** Lists caches, configuration and temporary directories before the home directory, which may have more files than the limit. */
function listRoots({ HOME, TMPDIR = '/tmp', ...env }: Environment): SearchRoot[] {
  const kinds = Object.values(userDirectories)
  const named = kinds.map(({ variable }) => env[variable])
  const usual = HOME ? kinds.flatMap(({ linux, macos }) => [join(HOME, linux), join(HOME, macos)]) : []
  return [
    ...toRoots([...named, ...usual], 'perhaps shared'),
    ...toRoots([TMPDIR, env.XDG_RUNTIME_DIR], 'private'), // their owner restricts them, if at all
    ...toRoots([HOME], 'perhaps shared'),
  ]
}

function toRoots(paths: readonly (string | undefined)[], access: 'private' | 'perhaps shared'): SearchRoot[] {
  return paths.flatMap((path) => (path ? [{ path, isAlwaysPrivate: access === 'private' }] : []))
}

/** The limits of the search: more than a helper's folders contain, less than a source tree. */
const searchLimits: SearchLimits = { entries: 20_000, ms: 5000 }

interface SearchLimits {
  readonly entries: number
  readonly ms: number
}

/** How much of a new file is read from its end, because the last lines of a log are the new ones. */
const newFileBytes = 1024 * 1024

/** Larger old files are not read, because the cache of a helper is smaller. */
const oldFileBytes = 64 * 1024

const skipped = new Set(['node_modules', '.git', 'Trash', '.Trash'])

/** A file that is readable for every user by its own mode, with the end of its text. */
interface ReadableFile {
  readonly path: string
  readonly text: string
  /** Whether it has changed since the given time. */
  readonly isNew: boolean
  /** Whether every user can enter the directories above it on this machine; another machine may differ. */
  readonly isReachable: boolean
}

interface SearchRoot {
  readonly path: string
  /** Whether the directory is private on every machine, such as the runtime directory of a session. */
  readonly isAlwaysPrivate: boolean
}

/**
 * Collects files under `roots`, in their order, that every user can read: those that changed since `since` (epoch milliseconds), and small
 * older ones. It omits directories below a root that other users cannot enter, and files that vanish or are unreadable.
 */
export async function collectReadableFiles(
  roots: readonly SearchRoot[],
  since: number,
  limits: SearchLimits,
): Promise<{ readonly files: readonly ReadableFile[]; readonly isComplete: boolean }> {
  const files: ReadableFile[] = []
  const endAt = performance.now() + limits.ms
  let entries = 0
  for await (const { path, stats, isReachable } of iterateEntries(roots)) {
    entries += 1
    if (entries > limits.entries || performance.now() > endAt) return { files, isComplete: false }
    const isNew = Math.max(stats.mtimeMs, stats.ctimeMs) >= since
    if (stats.isFile() && (stats.mode & 0o004) !== 0 && (isNew || stats.size <= oldFileBytes))
      files.push({ path, text: readEnd(path, stats.size), isNew, isReachable })
  }
  return { files, isComplete: true }
}

/** Iterates once over every entry below the roots, upper levels first. */
async function* iterateEntries(
  roots: readonly SearchRoot[],
): AsyncGenerator<{ readonly path: string; readonly stats: Stats; readonly isReachable: boolean }> {
  const seen = new Set<string>()
  for (const root of roots) {
    // A folder that this user cannot open is skipped, because the check reports only what it has seen.
    const top = await realpath(root.path).catch(() => undefined)
    const isReachable = top !== undefined && (await isPubliclyReachable(top))
    const queue = new Set(top === undefined || (root.isAlwaysPrivate && !isReachable) ? [] : [top])
    for (const directory of queue) {
      const names = seen.has(directory) ? [] : await readdir(directory).catch(() => [])
      seen.add(directory)
      for (const name of names) {
        const path = join(directory, name)
        const stats = readStats(path)
        if (stats?.isDirectory() && (stats.mode & 0o001) !== 0 && !skipped.has(name)) queue.add(path)
        if (stats) yield { path, stats, isReachable }
      }
    }
  }
}

async function isPubliclyReachable(directory: string): Promise<boolean> {
  const { mode } = await lstat(directory)
  if ((mode & 0o001) === 0) return false
  return dirname(directory) === directory || isPubliclyReachable(dirname(directory))
}

/** Synchronous like {@link readEnd}, which takes a seventh of the time for thousands of entries. */
function readStats(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined // deleted meanwhile, or not accessible
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
    return '' // deleted meanwhile, or not readable
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
