import { access, constants, stat } from 'node:fs/promises'
import { delimiter, extname, isAbsolute, join } from 'node:path'
import type { Call } from '../../helper/define-helper.ts'
import type { Environment } from '../../runtime/environment.ts'
import { HelperError } from '../../runtime/failure.ts'
import { askLoginShell } from './login-shell.ts'
import type { Program, ProgramHost } from './program.ts'

/** Where a program is. */
export interface FoundProgram {
  readonly file: string
  /** The PATH on which it was found, and on which it finds others; `undefined` where that of this process stays. */
  readonly path: string | undefined
  readonly place: 'named by its path' | 'found on the option path' | 'found on PATH' | "found on the login shell's PATH"
}

/**
 * Finds a program: by its path; or by its name on the option `path` alone, or else on the PATH of this process and then on that
 * of the login shell, because a client that was started from a dock has a bare one.
 * @throws {HelperError} `not-configured` where it is on none of them.
 */
export async function resolveProgram(
  host: ProgramHost,
  call: Pick<Call, 'deadline'>,
  program: Program,
): Promise<FoundProgram> {
  const { name, path } = program
  if (isAbsolute(name)) return { file: name, path, place: 'named by its path' }
  if (path !== undefined) {
    const file = await findOnPath(name, path, host)
    if (file !== undefined) return { file, path, place: 'found on the option path' }
    throw refuse(name, 'is in none of the directories of the option path')
  }
  const file = await findOnPath(name, findVariable(host.env, 'PATH') ?? '', host)
  if (file !== undefined) return { file, path, place: 'found on PATH' }
  const login = await askLoginShell(host, call)
  const found = 'path' in login ? await findOnPath(name, login.path, host) : undefined
  if (found !== undefined && 'path' in login)
    return { file: found, path: login.path, place: "found on the login shell's PATH" }
  throw refuse(
    name,
    `is in no directory of PATH${'path' in login ? ', nor of that of the login shell' : login.problem}`,
  )
}

function refuse(name: string, problem: string): HelperError {
  return new HelperError('not-configured', `${name} ${problem}`, describeSearch(name))
}

/** What to do about a program that is not there: without a shell nobody splits a line. */
export function describeSearch(name: string): string {
  return /\s\S/.test(name)
    ? 'no shell splits this text: give the program and each of its arguments as a word of its own; if the blanks belong to its path, correct the path'
    : 'write the absolute path of the program, or set path to the directories to look in'
}

/** Relative directories are left out: the client chooses the working directory. */
async function findOnPath(name: string, path: string, { env, platform }: ProgramHost): Promise<string | undefined> {
  const endings = platform === 'win32' && extname(name) === '' ? listEndings(env) : ['']
  for (const directory of path.split(delimiter).filter((each) => isAbsolute(each)))
    for (const ending of endings) {
      const file = join(directory, `${name}${ending}`)
      if (await isProgramFile(file)) return file
    }
  return undefined
}

/** What Windows tries behind a name without one. */
function listEndings(env: Environment): string[] {
  return (findVariable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((ending) => ending !== '')
}

/** Windows writes names of variables in any case. */
function findVariable(env: Environment, name: string): string | undefined {
  return env[name] ?? Object.entries(env).find(([other]) => other.toUpperCase() === name)?.[1]
}

async function isProgramFile(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false // missing, or not for this user: another directory may have one
  }
}
