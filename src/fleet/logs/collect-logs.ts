// Finds the log files of machines, and the name of each machine.

import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { findErrorCode } from '../../runtime/failure.ts'

/** A log, and the directory through which it was found. */
export interface LogFile {
  readonly path: string
  /** `undefined` if the file itself was given. */
  readonly below: string | undefined
}

/** The path that stands for standard input on a command line. */
export const standardInput = '-'

/**
 * Collects the given logs, and the files of every given directory. In a directory it skips hidden files, and entries that are not files,
 * because reading a pipe would block. It does not follow a link to a directory, because the link may lead back.
 */
export async function collectLogs(
  paths: readonly string[],
): Promise<{ files: LogFile[]; unreadable: { readonly path: string; readonly reason: string }[] }> {
  const found = await Promise.all([...new Set(paths)].map(collectNamed))
  return { files: found.flatMap(({ files }) => files), unreadable: found.flatMap(({ unreadable }) => unreadable) }
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

/** Adds the files in a loop, because a call cannot have a hundred thousand arguments. */
function addCollected(all: Collected, more: Collected): void {
  for (const file of more.files) all.files.push(file)
  for (const file of more.unreadable) all.unreadable.push(file)
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (status) => status.isFile(),
    () => false, // a dangling link
  )
}

/** Returns the system's error code, such as `ENOENT`. */
export function toReason(error: unknown): string {
  return findErrorCode(error) ?? (error as Error).name
}

/**
 * Names machines by the part of the path that distinguishes files: in `logs/HOST/aws.log` the folder, in `logs/HOST.log` the file. The
 * folder gives the name if the file has the name of a helper, shares its name with a file in another folder, or is alone in a folder below
 * the given directory. A folder whose name is a date does not name a machine.
 * @param helpers The names of helpers, which are not names of machines.
 */
export function createMachineNames(files: readonly LogFile[], helpers: ReadonlySet<string>): NameMachine {
  const foldersOf = Map.groupBy(files, ({ path }) => toStem(path))
  const filesIn = Map.groupBy(files, toFolder)
  const isInSeveral = (stem: string) => new Set(foldersOf.get(stem)?.map(toFolder)).size > 1
  const isAlone = (file: LogFile) =>
    file.below !== undefined && resolve(file.below) !== toFolder(file) && filesIn.get(toFolder(file))?.length === 1
  return (file) => {
    if (file.path === standardInput) return 'standard input'
    const stem = toStem(file.path)
    const isFolders = helpers.has(stem) || isInSeveral(stem) || isAlone(file)
    return (isFolders && findFolderName(file, helpers.has(stem) ? 'helper' : 'machine')) || stem
  }
}

/** The name of the machine of a log whose records do not state it. */
type NameMachine = (file: LogFile) => string

function toStem(path: string): string {
  const name = basename(path)
  return name.replace(additions, '') || name
}

function toFolder({ path }: LogFile): string {
  return dirname(resolve(path))
}

/**
 * Finds the innermost folder whose name is not a date: below the given directory or, if the file is in that directory itself, above it.
 * Files of one name in the folders of several days belong to the machine of that name.
 */
function findFolderName({ path, below }: LogFile, namedAfter: 'helper' | 'machine'): string | undefined {
  const inside = below === undefined ? [] : relative(below, dirname(path)).split(sep).filter(Boolean)
  const names =
    inside.every(isDay) && (inside.length === 0 || namedAfter === 'helper') ? resolve(dirname(path)).split(sep) : inside
  return names.findLast((name) => name !== '' && !isDay(name))
}

/** The additions to a file's name by rotation, compression and type. */
const additions = /(?:\.(?:log|json|jsonl|ndjson|xml|txt|gz|\d{1,4})|-\d{8}(?:\d{2}){0,3})+$/i

function isDay(name: string): boolean {
  return /^\d{4}-?\d\d(?:-?\d\d)?$/.test(name)
}
