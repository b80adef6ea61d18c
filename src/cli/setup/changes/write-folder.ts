import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { attemptUnlessMissing } from '../../../runtime/disk.ts'
import { findErrorCode, HelperError, isWithoutRoom, toOneLine } from '../../../runtime/failure.ts'
import { createDirectory } from '../../../runtime/files/private-files.ts'
import { roomHint } from '../../../runtime/files/replace-file.ts'
import { renderJson } from '../../../runtime/values/json-value.ts'
import { foreignFolderHint, manifestPath, readIfThere } from '../folder.ts'
import { type FolderChange, readManifest, toManifest } from './compare-folder.ts'

/** The directory for preparing a change: it is complete before any file is replaced. */
const stagePath = '.gatepass-setup.new'
const planPath = 'plan.json'

/**
 * Writes all changes or none: every file is written to a stage first, then a plan of the moves, and only then are files moved. A run that
 * is killed before the plan leaves the old folder; after it, {@link endUnfinishedWrite} completes the moves.
 * @throws {HelperError} `refused` if it cannot be written; the folder is then unchanged.
 */
export async function writeFolder(directory: string, changes: readonly FolderChange[]): Promise<void> {
  const made = await createFolder(directory)
  try {
    await prepareWrite(directory, changes)
  } catch (cause) {
    await rm(join(directory, stagePath), { recursive: true, force: true })
    if (made !== undefined) await rm(made, { recursive: true, force: true })
    const code = findErrorCode(cause)
    if (code === undefined) throw cause
    const hint = isWithoutRoom(cause) ? `${roomHint}, and run the command again` : foreignFolderHint
    throw new HelperError('refused', toOneLine(`${directory} cannot be written (${code}), and is as before`), hint, {
      cause,
    })
  }
  await endUnfinishedWrite(directory)
}

/** @returns the topmost created directory; `undefined` if the folder existed. */
async function createFolder(directory: string): Promise<string | undefined> {
  try {
    const topmost = await findTopmostMissing(directory)
    await createDirectory(directory, 0o777)
    return topmost
  } catch (cause) {
    const code = findErrorCode(cause)
    if (code === undefined) throw cause
    const what = toOneLine(`the folder ${directory} cannot be created (${code})`)
    throw new HelperError('refused', what, 'name another folder', { cause })
  }
}

/** Finds the first missing folder on the path; an inaccessible one counts as missing, and creating it then fails with the reason. */
async function findTopmostMissing(path: string): Promise<string | undefined> {
  try {
    await stat(path)
    return undefined
  } catch {
    return (await findTopmostMissing(dirname(path))) ?? path
  }
}

/** Numbers are used instead of names, so that the stage needs no folders. */
async function prepareWrite(directory: string, changes: readonly FolderChange[]): Promise<void> {
  const stage = join(directory, stagePath)
  await mkdir(stage, { mode: 0o700 })
  const written = changes.filter(({ kind }) => kind === 'new' || kind === 'changed')
  for (const [index, { after, isSecret }] of written.entries())
    await writeFile(join(stage, String(index)), after, { flag: 'wx', ...(isSecret && { mode: 0o600 }) })
  const manifest = toManifest(changes, await readManifest(directory))
  await writeFile(join(stage, 'manifest'), renderJson(manifest))
  const plan: MovePlan = {
    saved: changes.flatMap(({ path, saved }) => (saved === undefined ? [] : [[path, saved] as const])),
    moves: [...written.map(({ path }, index) => [String(index), path] as const), ['manifest', manifestPath]],
    removed: changes.filter(({ kind }) => kind === 'removed').map(({ path }) => path),
  }
  await writeFile(join(stage, 'draft'), JSON.stringify(plan))
  await rename(join(stage, 'draft'), join(stage, planPath))
}

interface MovePlan {
  /** A person's files that are moved away, and their new paths. */
  readonly saved: readonly (readonly [from: string, to: string])[]
  readonly moves: readonly (readonly [from: string, to: string])[]
  readonly removed: readonly string[]
}

/** Completes an earlier run: its moves if there is a plan, otherwise its stage is removed. */
export async function endUnfinishedWrite(directory: string): Promise<void> {
  const stage = join(directory, stagePath)
  const text = await readIfThere(join(stage, planPath))
  if (text !== undefined) {
    const { saved, moves, removed } = JSON.parse(Buffer.from(text).toString('utf8')) as MovePlan // prepareWrite has written it atomically
    for (const [from, to] of saved) await moveOnce(join(directory, from), join(directory, to))
    for (const [from, to] of moves) await moveIfThere(join(stage, from), join(directory, to))
    for (const path of removed) await removeWithFolder(directory, path)
  }
  await rm(stage, { recursive: true, force: true })
}

/** A text that was already saved is not replaced: the file at the old path is then the new text. */
async function moveOnce(from: string, to: string): Promise<void> {
  if ((await readIfThere(to)) === undefined) await moveIfThere(from, to)
}

/** A file that was already moved does not exist any more. */
async function moveIfThere(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await attemptUnlessMissing(rename(from, to))
}

async function removeWithFolder(directory: string, path: string): Promise<void> {
  await rm(join(directory, path), { force: true })
  const folder = dirname(path)
  if (folder !== '.' && (await isEmpty(join(directory, folder)))) await rmdir(join(directory, folder)).catch(() => {}) // another program has just added a file
}

/** Returns whether a folder has no entry; one that cannot be read counts as not empty, so that it stays. */
async function isEmpty(folder: string): Promise<boolean> {
  const entries = await readdir(folder).catch(() => undefined)
  return entries?.length === 0
}
