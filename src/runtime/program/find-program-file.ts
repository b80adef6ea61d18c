// Folder: other programs: finding their file, the variables by which they choose an identity, and starting one that outlives its caller.

import { delimiter, extname, isAbsolute, join } from 'node:path'
import { readProgramStatus } from '../disk.ts'
import type { Host } from '../host.ts'
import type { Environment } from '../run-process.ts'
import { findLastChange, notingSearches, renderState } from './file-state.ts'

/** The file of a program, and a text that changes when somebody replaces the file. */
export interface ProgramFile {
  readonly file: string
  readonly state: string
  /** See {@link findLastChange}. */
  readonly changedAt: number
}

/** One search and its result; `null` if there was no such program. */
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
  /** An absolute path, or a name. */
  readonly name: string
  /** The PATH to search for a name, in place of this process's own. */
  readonly path?: string | undefined
}

/** Only the found program counts, not the whole PATH, so PATH is read from the environment behind the recording. */
type SearchedEnvironment = Environment & {
  readonly [notingSearches]?: { readonly env: Environment; note(seen: SeenProgram, changedAt: number): void }
}

/** Whether the same search finds the same file as before, and nobody has written it since. */
export async function isFoundUnchanged(
  [name, path, found]: SeenProgram,
  host: Pick<Host, 'env' | 'platform'>,
): Promise<boolean> {
  return renderFound(await findProgramFile({ name, path: path ?? undefined }, host)) === found
}

function renderFound(found: ProgramFile | undefined): string | null {
  return found === undefined ? null : `${found.file} ${found.state}`
}

/** The first program of a name in the directories of a PATH. Relative ones are left out: the client chooses the working directory. */
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

/** Windows tries the extensions of PATHEXT after a path without an extension. */
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

/** The extensions that Windows tries for a name without one. */
function listEndings(env: Environment): string[] {
  return (findVariable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((ending) => ending !== '')
}

/** On Windows the names of variables can have any case. */
function findVariable(env: Environment, name: string): string | undefined {
  if (env[name] !== undefined) return env[name]
  return Object.entries(env).find(([other, value]) => value !== undefined && other.toUpperCase() === name)?.[1]
}

/** `undefined` if it is missing, not a file, or not executable for this user; the search then goes on in the next directory. */
async function findProgram(file: string): Promise<ProgramFile | undefined> {
  const status = await readProgramStatus(file)
  if (!status) return undefined
  return { file, state: renderState(status), changedAt: findLastChange(status) }
}
