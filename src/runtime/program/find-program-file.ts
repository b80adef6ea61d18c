// Folder: other programs: finding their file, the variables by which they choose an identity, and starting one that outlives its caller.

import { delimiter, extname, isAbsolute, join } from 'node:path'
import { readProgramStatus } from '../disk.ts'
import type { Host } from '../host.ts'
import type { Environment } from '../run-process.ts'
import { computeLastChange, notingSearches, renderState } from './file-state.ts'

/** The file of a program, and a text that changes when somebody replaces the file. */
export interface ProgramFile {
  readonly file: string
  readonly state: string
  /** See {@link computeLastChange}. */
  readonly changedAt: number
}

/** One search for a program and its result; `null` if there was none. */
export type SeenProgram = readonly [name: string, path: string | null, found: string | null]

/** Finds a program as {@link findOnPath} does, or by its path; `undefined` if it does not exist. */
export async function findProgramFile(
  { name, path }: ProgramSearch,
  { env, platform }: { readonly env: SearchedEnvironment; readonly platform: NodeJS.Platform },
): Promise<ProgramFile | undefined> {
  const noting = env[notingSearches]
  const plain = noting?.env ?? env
  const found = isAbsolute(name)
    ? await findWithEnding(name, { env: plain, platform })
    : await findOnPath(name, path ?? findVariable(plain, 'PATH') ?? '', { env: plain, platform })
  noting?.note([name, path ?? null, renderFound(found)], found?.changedAt ?? 0)
  return found
}

interface ProgramSearch {
  /** The absolute path or the name of the program. */
  readonly name: string
  /** The PATH on which a name is searched; absent: this process's own. */
  readonly path?: string | undefined
}

/** The environment of a search. PATH is read behind the recording, because only the found program counts, and not the whole PATH. */
type SearchedEnvironment = Environment & {
  readonly [notingSearches]?: { readonly env: Environment; note(seen: SeenProgram, changedAt: number): void }
}

/** Returns whether the same search still finds the same file, unchanged. */
export async function isFoundUnchanged(
  [name, path, found]: SeenProgram,
  host: Pick<Host, 'env' | 'platform'>,
): Promise<boolean> {
  return renderFound(await findProgramFile({ name, path: path ?? undefined }, host)) === found
}

function renderFound(found: ProgramFile | undefined): string | null {
  return found === undefined ? null : `${found.file} ${found.state}`
}

/**
 * Finds the first program of this name in the directories of a PATH. Relative directories are left out, because the client chooses the
 * working directory.
 */
export async function findOnPath(
  name: string,
  path: string,
  { env, platform }: Pick<Host, 'env' | 'platform'>,
): Promise<ProgramFile | undefined> {
  for (const directory of path.split(delimiter).filter((each) => isAbsolute(each))) {
    const found = await findWithEnding(join(directory, name), { env, platform })
    if (found) return found
  }
  return undefined
}

/** Finds a program by its path. Windows tries the extensions of PATHEXT for a path without one. */
async function findWithEnding(
  file: string,
  { env, platform }: Pick<Host, 'env' | 'platform'>,
): Promise<ProgramFile | undefined> {
  const endings = platform === 'win32' && extname(file) === '' ? listEndings(env) : ['']
  for (const ending of endings) {
    const found = await findProgram(`${file}${ending}`)
    if (found) return found
  }
  return undefined
}

/** Lists the extensions that Windows tries for a name without one. */
function listEndings(env: Environment): string[] {
  return (findVariable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((ending) => ending !== '')
}

/** Finds a variable by its name, otherwise by its name in any case, which is the same to Windows. */
function findVariable(env: Environment, name: string): string | undefined {
  if (env[name] !== undefined) return env[name]
  return Object.entries(env).find(([other, value]) => value !== undefined && other.toUpperCase() === name)?.[1]
}

/**
 * Finds a program at a path; `undefined` if it is missing, not a file, or not executable for this user. The search then continues in the
 * next directory.
 */
async function findProgram(file: string): Promise<ProgramFile | undefined> {
  const status = await readProgramStatus(file)
  if (!status) return undefined
  return { file, state: renderState(status), changedAt: computeLastChange(status) }
}
