import { isPromptAllowed } from '../../contract/context.ts'
import type { Call } from '../../helper/define-helper.ts'
import { type Environment, type RunOutcome, runProcess } from '../../runtime/run-process.ts'
import { decodeText } from '../../runtime/text/decode-text.ts'
import { toChildEnvironment, toSilentEnvironment } from '../child-environment.ts'
import { toChainVariables } from './cycle.ts'
import type { Program, ProgramHost } from './program.ts'
import { type FoundProgram, resolveProgram } from './resolve-program.ts'

/** A program's run, after it has ended by itself or was killed. */
export interface ProgramRun {
  readonly program: Program
  readonly found: FoundProgram
  readonly outcome: RunOutcome
  /** The environment of the program, some of which is secret. */
  readonly env: Environment
}

/**
 * Resolves a program and runs it without a shell, with an empty stdin, in the root directory, until the deadline. Its children are killed
 * with it.
 * @throws {HelperError} if it is not found; `late`.
 */
export async function runProgram(
  host: ProgramHost,
  call: ProgramCall,
  program: Program,
  { variables = {}, isWhole }: RunSettings,
): Promise<ProgramRun> {
  const found = await resolveProgram(host, call, program)
  const env = { ...toProgramEnvironment(host.env, call, program, found.path), ...variables }
  let state = ''
  // Waits until the end of the whole call, because the program may do something that cannot be repeated, such as renewing its own sign-in.
  const outcome = await call.deadline.whole.during(
    'program',
    () => `${program.name}${state}`,
    async ({ signal }) => {
      const ended = await runProcess({
        command: toSystemCommand({ file: found.file, args: program.args }, host.platform, env),
        env,
        cwd: '/',
        signal,
        isWhole: (stdout) => isWhole(decodeText(stdout) ?? ''),
        onExit: () => {
          state = ' has ended without a token, and a program that it started and that holds its stdout open'
        },
      })
      state = '' // the log of a call that ends in time has only the program's name
      return ended
    },
  )
  return { program, found, outcome, env }
}

/** The part of a call that a program runs in. */
type ProgramCall = Pick<Call, 'deadline' | 'context'>

/** Settings of a run that only the caller knows. */
interface RunSettings {
  /** Variables besides the usual ones. */
  readonly variables?: Environment
  /** Whether a text is complete, so that the run does not wait for other processes that hold the pipes. */
  isWhole(text: string): boolean
}

/** Creates the environment of the program. In a silent context it has no display and no browser, and so cannot ask a person. */
function toProgramEnvironment(
  env: Environment,
  { context }: Pick<Call, 'context'>,
  program: Program,
  path: string | undefined,
): Environment {
  const child = toChildEnvironment(env)
  return {
    ...(isPromptAllowed(context) ? child : toSilentEnvironment(child)),
    ...(path !== undefined && { PATH: path }),
    ...toChainVariables(env, program),
  }
}

/** The command line that the system starts. */
interface SystemCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Whether the arguments are one command line already. */
  readonly isVerbatim?: boolean
}

/**
 * Creates the command line for a file. On Windows, cmd.exe starts a batch file, and every word is in quotes, between which `& | < > ^ !`
 * have no meaning. A quote is doubled, which keeps the quotes in pairs. A percent sign is followed by an empty part of a variable, so that
 * it does not begin a variable's name. Backslashes before the end are doubled, because a backslash before a quote would escape the quote.
 * The path of the file is quoted too, not escaped: Wine understands only quotes (seen).
 */
export function toSystemCommand(
  { file, args }: { readonly file: string; readonly args: readonly string[] },
  platform: NodeJS.Platform,
  env: Environment,
): SystemCommand {
  if (platform !== 'win32' || !/\.(?:cmd|bat)$/i.test(file)) return { program: file, args }
  const line = [file.replaceAll('/', '\\'), ...args].map(quoteForBatch).join(' ')
  const flags = ['/d', '/e:on', '/v:off', '/s', '/c']
  return { program: env.ComSpec ?? env.COMSPEC ?? 'cmd.exe', args: [...flags, `"${line}"`], isVerbatim: true }
}

function quoteForBatch(word: string): string {
  return `"${word
    .replace(/\\+(?=$|")/g, '$&$&')
    .replaceAll('"', '""')
    .replaceAll('%', '%%cd:~,%')}"`
}
