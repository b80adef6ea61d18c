import { isPromptAllowed } from '../../contract/context.ts'
import type { Call } from '../../helper/define-helper.ts'
import type { Environment } from '../../runtime/environment.ts'
import { type RunOutcome, runProcess } from '../../runtime/run-process.ts'
import { toChildEnvironment, toSilentEnvironment } from '../child-environment.ts'
import { chooseProgramDeadline } from './choose-deadline.ts'
import { toChainVariables } from './cycle.ts'
import { decodeText } from './decode-text.ts'
import { type FoundProgram, resolveProgram } from './find-program.ts'
import type { Program, ProgramHost } from './program.ts'
import { toSystemCommand } from './windows-command.ts'

/** The part of a call that a program runs in. */
export type ProgramCall = Pick<Call, 'deadline' | 'context'>

/** A program that has ended by itself or was ended. */
export interface ProgramRun {
  readonly program: Program
  readonly found: FoundProgram
  readonly outcome: RunOutcome
  /** What it was given, some of which is secret. */
  readonly env: Environment
}

/** What only the caller knows of a program. */
interface RunSettings {
  /** Variables besides its usual ones. */
  readonly variables?: Environment
  /** Whether a text is all that it would print. Then nobody waits for others that hold its pipes. */
  isWhole(text: string): boolean
}

/**
 * Finds a program and runs it: without a shell, with stdin at its end, in the root directory, until the deadline. Nothing that it
 * started outlives it.
 * @throws {HelperError} where it is not found, or `late`.
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
  const outcome = await chooseProgramDeadline(call).during(
    'program',
    () => `${program.name}${state}`,
    async ({ signal }) => {
      const ended = await runProcess({
        command: toSystemCommand({ file: found.file, args: program.args }, host.platform, env),
        ...{ env, cwd: '/', signal },
        isWhole: (stdout) => isWhole(decodeText(stdout) ?? ''),
        onExit: () => {
          state = ' has ended without a token, and a program that it started and that holds its stdout open'
        },
      })
      state = '' // the log of a call that ends in time has the program's name alone
      return ended
    },
  )
  return { program, found, outcome, env }
}

/** In a silent context it also has no way to a person: no display, no browser, no question. */
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
