import { userInfo } from 'node:os'
import { basename, isAbsolute } from 'node:path'
import type { Call } from '../../helper/define-helper.ts'
import type { Environment } from '../../runtime/environment.ts'
import { runProcess } from '../../runtime/run-process.ts'
import { toChildEnvironment, toSilentEnvironment } from '../child-environment.ts'
import type { ProgramHost } from './program.ts'

/**
 * Set for the shell that is asked, so that a helper which its startup files run does not ask one more. Startup files may look for
 * it too.
 */
export const shellVariable = 'GATEPASS_ASKING_LOGIN_SHELL'

/** In milliseconds. Startup files take a second at most where people bear them. Our decision. */
const longestMs = 5_000

/** What the login shell says, or why there is no answer, as the rest of a sentence. */
export type LoginPath = { readonly path: string } | { readonly problem: string }

/**
 * Asks the user's login shell for its PATH, as a terminal would have it: as a login shell and interactive, because people set it
 * in either kind of startup file. It has no terminal and no stdin, cannot open a window, and is ended with what it started.
 */
export async function askLoginShell({ env, platform }: ProgramHost, call: Pick<Call, 'deadline'>): Promise<LoginPath> {
  if (platform === 'win32') return { problem: '' } // programs get the whole PATH there, wherever they are started
  if (env[shellVariable]) return { problem: ', and this runs in a startup file of the login shell' }
  const shell = findShell(env)
  if (shell === undefined) return { problem: ', and there is no login shell to ask' }
  const child = {
    ...findEncoding(env, platform),
    ...toSilentEnvironment(toChildEnvironment(env)),
    ...{ TERM: 'dumb', [shellVariable]: '1' },
  }
  const outcome = await call.deadline.during('program', `asking ${shell} for its PATH`, ({ signal }) =>
    runProcess({
      command: { program: shell, args: [...listFlags(shell), question] },
      ...{ env: child, cwd: '/', isWhole: (stdout) => parseAnswer(stdout) !== undefined },
      signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
    }),
  )
  const path = outcome.ended === 'exited' ? parseAnswer(outcome.stdout) : undefined
  return path === undefined ? { problem: `, and ${shell} did not say its own` } : { path }
}

const mark = '__GATEPASS_PATH__'

/** Every shell, those that are not of POSIX's family too, gives a text in single quotes on as it is. */
const question = `/bin/sh -c 'printf "${mark}%s${mark}" "$PATH"'`

/** Startup files may print what they like before and after. */
function parseAnswer(stdout: Uint8Array): string | undefined {
  const [, path] = new TextDecoder().decode(stdout).split(mark, 3)
  return path !== undefined && path !== '' && new TextDecoder().decode(stdout).split(mark).length === 3
    ? path
    : undefined
}

/** Without a locale, as a client has none that was started from a dock, some shells change the letters of names beyond ASCII. */
function findEncoding(env: Environment, platform: NodeJS.Platform): Record<string, string> {
  if (env.LC_ALL || env.LC_CTYPE || env.LANG) return {}
  return { LC_CTYPE: platform === 'darwin' ? 'UTF-8' : 'C.UTF-8' }
}

/** The C shell takes `-l` alone only. */
function listFlags(shell: string): string[] {
  return /csh$/.test(shell) ? ['-i', '-c'] : ['-l', '-i', '-c']
}

function findShell(env: Environment): string | undefined {
  const shell = env.SHELL || findUserShell()
  if (shell === undefined || !isAbsolute(shell)) return undefined
  return ['nologin', 'false', 'true'].includes(basename(shell)) ? undefined : shell
}

function findUserShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined
  } catch {
    return undefined // the system knows no such user, as in a container
  }
}
