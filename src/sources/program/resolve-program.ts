import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { basename, isAbsolute } from 'node:path'
import type { Call } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import { findOnPath, findProgramFile } from '../../runtime/program/find-program-file.ts'
import { type Environment, runProcess } from '../../runtime/run-process.ts'
import { toChildEnvironment, toSilentEnvironment } from '../child-environment.ts'
import type { Program, ProgramHost } from './program.ts'

/** A program that exists and may be executed, and the PATH on which it was found. */
export interface FoundProgram {
  readonly file: string
  /** The PATH on which it was found, and on which it finds other programs; `undefined` if it keeps the PATH of this process. */
  readonly path: string | undefined
  readonly location:
    | 'named by its path'
    | 'found on the option path'
    | 'found on PATH'
    | "found on the login shell's PATH"
}

/**
 * Resolves a program: from its path, or its name on the option `path` if that is set, else on the PATH of this process, else on that of the
 * login shell, because a client that was started from a dock has a minimal PATH.
 * @throws {HelperError} `not-configured` if it is on none of them.
 */
export async function resolveProgram(
  host: ProgramHost,
  call: Pick<Call, 'deadline'>,
  program: Program,
): Promise<FoundProgram> {
  const { name, path } = program
  if (isAbsolute(name)) return { file: await requireFile(program, host), path, location: 'named by its path' }
  if (path !== undefined) {
    const found = await findProgramFile(program, host)
    if (found) return { file: found.file, path, location: 'found on the option path' }
    throw toFailure(name, 'is in none of the directories of the option path')
  }
  const found = await findProgramFile(program, host)
  if (found) return { file: found.file, path, location: 'found on PATH' }
  const login = await askLoginShell(host, call)
  const other = 'path' in login ? await findOnPath(name, login.path, host) : undefined
  if (other && 'path' in login)
    return { file: other.file, path: login.path, location: "found on the login shell's PATH" }
  throw toFailure(
    name,
    `is not in any directory of PATH${'path' in login ? " or of the login shell's PATH" : login.problem}`,
  )
}

/**
 * Requires the file before anything is started: on Windows, cmd.exe starts a batch file, and its answer to a missing file looks like that
 * of a failing program. If the file exists but cannot be executed, the system reports the reason when it is started.
 */
async function requireFile(program: Program, host: ProgramHost): Promise<string> {
  const { name } = program
  const found = await findProgramFile(program, host)
  if (found) return found.file
  const isThere = await stat(name).then(
    () => true,
    (thrown: NodeJS.ErrnoException) => thrown.code !== 'ENOENT' && thrown.code !== 'ENOTDIR',
  )
  if (isThere) return name
  throw toFailure(name, 'does not exist')
}

function toFailure(name: string, problem: string): HelperError {
  return new HelperError('not-configured', `${name} ${problem}`, describeSearch(name))
}

/**
 * Describes, for a hint, what to do about a program that does not exist. A common cause is a whole command line as one text, which no shell
 * splits here.
 */
export function describeSearch(name: string): string {
  if (/\s\S/.test(name))
    return 'correct the path; if the text holds arguments as well, give the program and each of them as a word of its own, because no shell splits it'
  return isAbsolute(name)
    ? 'correct the path, or install the program there'
    : 'write the absolute path of the program, or set path to the directories to look in'
}

/**
 * Set in the environment of the login shell, so that a helper in its startup files does not start another shell. Startup files may read it
 * too.
 */
const shellVariable = 'GATEPASS_ASKING_LOGIN_SHELL'

/** In milliseconds: the limit for the login shell. Startup files usually take at most a second. Our decision. */
const longestMs = 5_000

/** The PATH of the login shell, or the reason why it is not known, as the rest of a sentence. */
type LoginPath = { readonly path: string } | { readonly problem: string }

/**
 * Asks the user's login shell for the PATH of a terminal. The shell runs as an interactive login shell, because people set PATH in
 * either kind of startup file. It has no terminal and no stdin, cannot open a window, and is ended together with its children.
 */
async function askLoginShell({ env, platform }: ProgramHost, call: Pick<Call, 'deadline'>): Promise<LoginPath> {
  if (platform === 'win32') return { problem: '' } // every program gets the whole PATH there, however it is started
  if (env[shellVariable]) return { problem: ', and this runs in a startup file of the login shell' }
  const shell = findShell(env)
  if (shell === undefined) return { problem: ', and there is no login shell to ask' }
  const child = {
    ...chooseEncoding(env, platform),
    ...toSilentEnvironment(toChildEnvironment(env)),
    TERM: 'dumb',
    [shellVariable]: '1',
  }
  const outcome = await call.deadline.during('program', `asking ${shell} for its PATH`, ({ signal }) =>
    runProcess({
      command: { program: shell, args: [...listFlags(shell), question] },
      env: child,
      cwd: '/',
      isWhole: (stdout) => parseAnswer(stdout) !== undefined,
      signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
    }),
  )
  const path = outcome.ended === 'exited' ? parseAnswer(outcome.stdout) : undefined
  return path === undefined ? { problem: `, and ${shell} did not print its PATH` } : { path }
}

const mark = '__GATEPASS_PATH__'

/** The command for the login shell. Every shell, even one that does not follow POSIX, passes on a text in single quotes unchanged. */
const question = `/bin/sh -c 'printf "${mark}%s${mark}" "$PATH"'`

function findShell(env: Environment): string | undefined {
  const shell = env.SHELL || findUserShell()
  if (shell === undefined || !isAbsolute(shell)) return undefined
  return ['nologin', 'false', 'true'].includes(basename(shell)) ? undefined : shell
}

/** Sets a UTF-8 locale. A client that was started from a dock has none, and some shells then change characters beyond ASCII. */
function chooseEncoding(env: Environment, platform: NodeJS.Platform): Record<string, string> {
  if (env.LC_ALL || env.LC_CTYPE || env.LANG) return {}
  return { LC_CTYPE: platform === 'darwin' ? 'UTF-8' : 'C.UTF-8' }
}

/** Lists the flags for an interactive login shell. The C shell does not accept `-l` together with other options. */
function listFlags(shell: string): string[] {
  return /csh$/.test(shell) ? ['-i', '-c'] : ['-l', '-i', '-c']
}

/** Parses the PATH between the marks, because startup files may print anything before and after it. */
function parseAnswer(stdout: Uint8Array): string | undefined {
  const [, path, ...after] = new TextDecoder().decode(stdout).split(mark)
  return path !== '' && after.length === 1 ? path : undefined
}

function findUserShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined
  } catch {
    return undefined // the system does not know this user, as in a container
  }
}
