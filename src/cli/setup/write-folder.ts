import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { createDirectory } from '../../runtime/files/private-files.ts'
import { isObject, parseJson } from '../../runtime/values/json-value.ts'
import { type FolderFile, readIfThere, toBytes } from './folder.ts'

/** What a run of setup would do to one file of the folder. */
export interface FolderChange {
  readonly path: string
  /** `kept`: somebody has changed the file since setup wrote it, or setup never wrote it. */
  readonly kind: 'new' | 'same' | 'changed' | 'removed' | 'kept'
  readonly before: Uint8Array
  readonly after: Uint8Array
  readonly isSecret: boolean
  readonly isExport: boolean
}

/** The file in which the folder remembers what setup wrote, so that it never replaces what a person has changed. */
const manifestPath = '.gatepass-setup.json'

/** The directory in which a change is prepared: everything is here before anything takes its place. */
const stagePath = '.gatepass-setup.new'
const planPath = 'plan.json'

/** Compares the folder with what it is to be. @param force Whether changes of a person are replaced as well. */
export async function compareFolder(
  directory: string,
  files: readonly FolderFile[],
  force: boolean,
): Promise<FolderChange[]> {
  const written = await readManifest(directory)
  const planned = await Promise.all(
    files.map(async ({ path, isSecret = false, isExport = false, ...file }): Promise<FolderChange> => {
      const before = await readIfThere(join(directory, path))
      const after = toBytes(file)
      const kind = detectKind(before, after, written.get(path), force)
      return { path, kind, before: before ?? Buffer.alloc(0), after, isSecret, isExport }
    }),
  )
  const names = new Set(files.map(({ path }) => path))
  const old = [...written].filter(([path]) => !names.has(path))
  const removed = await Promise.all(
    old.map(async ([path, digest]): Promise<FolderChange | undefined> => {
      const before = await readIfThere(join(directory, path))
      if (before === undefined) return undefined
      const kind = force || digestOf(before) === digest ? 'removed' : 'kept'
      return { path, kind, before, after: Buffer.alloc(0), isSecret: false, isExport: false }
    }),
  )
  return [...planned, ...removed.filter((change) => change !== undefined)]
}

function detectKind(
  before: Uint8Array | undefined,
  after: Uint8Array,
  written: string | undefined,
  force: boolean,
): FolderChange['kind'] {
  if (before === undefined) return 'new'
  if (Buffer.compare(before, after) === 0) return 'same'
  return force || digestOf(before) === written ? 'changed' : 'kept'
}

function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

async function readManifest(directory: string): Promise<Map<string, string>> {
  const text = await readIfThere(join(directory, manifestPath))
  const parsed = text === undefined ? undefined : parseJson(Buffer.from(text).toString('utf8'))
  const entries = isObject(parsed) ? Object.entries(parsed) : []
  return new Map(entries.flatMap(([path, digest]) => (typeof digest === 'string' ? [[path, digest] as const] : [])))
}

/**
 * Writes what has changed, whole or not at all: everything is written beside its place first, then a plan of the moves, and only then
 * is anything moved. A run that is killed before the plan leaves the old folder; what is killed behind it, {@link endUnfinishedWrite} ends.
 * @throws {HelperError} `refused` where it cannot be written; the folder is then as before.
 */
export async function writeFolder(directory: string, changes: readonly FolderChange[]): Promise<void> {
  const made = await createFolder(directory)
  try {
    await prepareWrite(directory, changes)
  } catch (cause) {
    await rm(join(directory, stagePath), { recursive: true, force: true })
    if (made !== undefined) await rm(made, { recursive: true, force: true })
    const { code = '' } = cause as NodeJS.ErrnoException // of the file system alone
    const hint =
      code === 'ENOSPC' ? 'make room on the disk, and start again' : 'check who owns it, or name another folder'
    throw new HelperError('refused', toOneLine(`${directory} cannot be written (${code}), and is as before`), hint, {
      cause,
    })
  }
  await endUnfinishedWrite(directory)
}

/** @returns the topmost directory that was made; `undefined` if the folder was there. */
async function createFolder(directory: string): Promise<string | undefined> {
  try {
    const topmost = await findTopmostMissing(directory)
    await createDirectory(directory, 0o777)
    return topmost
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const what = toOneLine(`the folder ${directory} cannot be created (${code})`)
    throw new HelperError('refused', what, 'name another folder', { cause })
  }
}

async function findTopmostMissing(path: string): Promise<string | undefined> {
  try {
    await stat(path)
    return undefined
  } catch {
    return (await findTopmostMissing(dirname(path))) ?? path
  }
}

/** Numbers in place of names, so that the stage needs no folders. */
async function prepareWrite(directory: string, changes: readonly FolderChange[]): Promise<void> {
  const place = join(directory, stagePath)
  await mkdir(place, { mode: 0o700 })
  const written = changes.filter(({ kind }) => kind === 'new' || kind === 'changed')
  for (const [index, { after, isSecret }] of written.entries())
    await writeFile(join(place, String(index)), after, { flag: 'wx', ...(isSecret && { mode: 0o600 }) })
  const old = await readManifest(directory)
  // A file that is kept stays remembered as it was written, so that it counts as changed by a person next time too.
  const manifest = changes.flatMap(({ path, kind, after }) => {
    if (kind === 'removed') return []
    const digest = kind === 'kept' ? old.get(path) : digestOf(after)
    return digest === undefined ? [] : [[path, digest] as const]
  })
  await writeFile(join(place, 'manifest'), `${JSON.stringify(Object.fromEntries(manifest), undefined, 2)}\n`)
  const moves = [...written.map(({ path }, index) => [String(index), path]), ['manifest', manifestPath]]
  const removed = changes.filter(({ kind }) => kind === 'removed').map(({ path }) => path)
  await writeFile(join(place, 'draft'), JSON.stringify({ moves, removed }))
  await rename(join(place, 'draft'), join(place, planPath))
}

interface MovePlan {
  readonly moves: readonly (readonly [from: string, to: string])[]
  readonly removed: readonly string[]
}

/** Ends what an earlier run began: its moves if their plan is there, otherwise nothing of it stays. */
export async function endUnfinishedWrite(directory: string): Promise<void> {
  const place = join(directory, stagePath)
  const text = await readIfThere(join(place, planPath))
  if (text !== undefined) {
    const { moves, removed } = JSON.parse(Buffer.from(text).toString('utf8')) as MovePlan // written by prepareWrite, and renamed whole
    for (const [from, to] of moves) await moveIfThere(join(place, from), join(directory, to))
    for (const path of removed) await removeWithFolder(directory, path)
  }
  await rm(place, { recursive: true, force: true })
}

/** A move that was done before is not there any more. */
async function moveIfThere(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  try {
    await rename(from, to)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
  }
}

async function removeWithFolder(directory: string, path: string): Promise<void> {
  await rm(join(directory, path), { force: true })
  const folder = dirname(path)
  if (folder !== '.' && (await listOrNone(join(directory, folder))).length === 0)
    await rmdir(join(directory, folder)).catch(() => {}) // somebody has just put a file there
}

async function listOrNone(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => ['unreadable'])
}
