import type { Call, Plan } from '../../helper/define-helper.ts'
import { HelperError, type Problem, validateReading } from '../../runtime/failure.ts'
import { refuseProgramCycle } from '../program/cycle.ts'
import { describeProgram, type Program, type ProgramHost, parseProgram } from '../program/program.ts'
import { collectProgramIdentity } from '../program/program-identity.ts'
import { validateWatch } from '../program/program-options.ts'
import type { CommandSettings } from './command-options.ts'
import { isJsonPointer } from './json-pointer.ts'

/** The program to run, and how its output is read. */
export interface CommandPlan extends Plan {
  readonly program: Program
  readonly settings: CommandSettings
  /** Describes where the program is. It may start the login shell. */
  locate(): Promise<string>
}

/** Finds problems that the options have on every machine of this system. */
export function validateCommandOptions(
  settings: CommandSettings,
  { platform }: Pick<ProgramHost, 'platform'>,
): Problem[] {
  const { command, path } = settings
  return [
    ...validateReading(() => refuseWrongPointers(settings)),
    ...validateReading(() => parseProgram(command, { home: '/', platform }, { option: 'command', path })),
    ...validateWatch(settings, platform),
  ]
}

/**
 * Plans the run of a program. It starts neither the program nor a shell.
 * @throws {HelperError} `usage` for settings that contradict each other, `not-configured` for a program that runs this helper.
 */
export async function planCommand(
  host: ProgramHost,
  settings: CommandSettings,
  call: Pick<Call, 'deadline'>,
): Promise<CommandPlan> {
  refuseWrongPointers(settings)
  const { command, path } = settings
  const program = parseProgram(command, host, { option: 'command', path })
  refuseProgramCycle(host.env, program)
  const identity = await collectProgramIdentity(host, program, settings)
  return {
    program,
    settings,
    sourceKind: 'command',
    inputs: identity.inputs,
    dependence: identity,
    steps: [`the token that ${describeProgram(program)} prints`, describeReading(settings), describeEnd(settings)],
    locate: async () => {
      const { resolveProgram } = await import('../program/resolve-program.ts')
      const { file, location } = await resolveProgram(host, call, program)
      return `${file}, ${location}`
    },
  }
}

/** Describes the plan for `--explain`, which also shows why the program is not found. */
export async function explainCommand({ steps, locate }: CommandPlan): Promise<readonly string[]> {
  try {
    return [...steps, `the program is ${await locate()}`]
  } catch (error) {
    if (error instanceof HelperError) return [...steps, error.message]
    throw error
  }
}

function refuseWrongPointers(settings: CommandSettings): void {
  const { output, 'token-pointer': tokenPointer, 'expiry-pointer': expiryPointer } = settings
  for (const name of ['token-pointer', 'expiry-pointer'] as const)
    if (!isJsonPointer(settings[name] ?? ''))
      throw new HelperError(
        'usage',
        `${name} is not a JSON pointer`,
        'write the names of the members from the outside in, each behind a slash, such as /data/token or /0/svid',
      )
  if (output !== 'auto' && output !== 'json' && (tokenPointer ?? expiryPointer) !== undefined)
    throw new HelperError(
      'usage',
      `output is ${output}, and ${tokenPointer === undefined ? 'expiry-pointer' : 'token-pointer'} is set`,
      'remove the option output: a pointer leads into JSON',
    )
}

function describeReading({ output, 'token-pointer': pointer }: CommandSettings): string {
  if (pointer !== undefined) return `its output is JSON with the token at ${pointer}`
  return output === 'auto' ? 'the shape of its output shows what it is' : `its output is read as ${output}`
}

function describeEnd({ life, 'expiry-pointer': pointer }: CommandSettings): string {
  const ends = [
    pointer === undefined ? 'what the output says' : `what the output says at ${pointer}`,
    'the exp of a JWT',
    ...(life === undefined ? [] : [`${life} s from the start of the program`]),
  ]
  return `its end is the first of: ${ends.join(', ')}`
}
