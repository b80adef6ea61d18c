import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A log, and the directory that was named for it. */
export interface LogFile {
  readonly path: string
  /** `undefined` if the file itself was named. */
  readonly below: string | undefined
}

/** The name for standard input. */
export const standardInput = '-'

/**
 * Collects every log that is named, and the files of every named directory. It skips hidden files there, and entries that are not
 * files, because reading a pipe would wait. It does not follow a link to a directory, because it may lead back.
 */
export async function collectLogs(
  paths: readonly string[],
): Promise<{ files: LogFile[]; unreadable: UnreadableFile[] }> {
  const found = await Promise.all([...new Set(paths)].map(collectNamed))
  return { files: found.flatMap(({ files }) => files), unreadable: found.flatMap(({ unreadable }) => unreadable) }
}

/** A file or directory that cannot be read, and the system's reason. */
interface UnreadableFile {
  readonly path: string
  readonly reason: string
}

type Collected = Awaited<ReturnType<typeof collectLogs>>

async function collectNamed(path: string): Promise<Collected> {
  if (path === standardInput) return { files: [{ path, below: undefined }], unreadable: [] }
  try {
    if (!(await stat(path)).isDirectory()) return { files: [{ path, below: undefined }], unreadable: [] }
  } catch (error) {
    return { files: [], unreadable: [{ path, reason: toReason(error) }] }
  }
  return collectBelow(path, path)
}

async function collectBelow(directory: string, below: string): Promise<Collected> {
  const collected: Collected = { files: [], unreadable: [] }
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name)
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory()) addCollected(collected, await collectBelow(path, below))
      else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(path)))) collected.files.push({ path, below })
    }
  } catch (error) {
    collected.unreadable.push({ path: directory, reason: toReason(error) })
  }
  return collected
}

/** Adds the files one by one, because a call cannot take a hundred thousand arguments. */
function addCollected(all: Collected, more: Collected): void {
  for (const file of more.files) all.files.push(file)
  for (const file of more.unreadable) all.unreadable.push(file)
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (status) => status.isFile(),
    () => false, // it leads nowhere
  )
}

/** The system's error code, such as `ENOENT`. */
export function toReason(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).name
}
