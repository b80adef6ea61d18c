import { toSha256 } from '../../runtime/digest.ts'
import type { Environment } from '../../runtime/environment.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Program } from './program.ts'

/**
 * Holds digests of the programs that helpers of ours are running, the outermost first, so that a helper which is started by one
 * of them, directly or through a script, recognizes a cycle before it waits for a lock that the outer one holds.
 */
const chainVariable = 'GATEPASS_RUNNING_PROGRAMS'

/** Nobody nests helpers as deep; a cycle whose arguments differ each time does. Our decision. */
const deepest = 8

/** Part of the message. The helper that started the cycle recognizes it by this, whatever script lies between. */
export const programCycleNotice = 'runs a credential helper that would run it again'

/** @throws {HelperError} `not-configured` where this process was started by the program that it would run. */
export function refuseProgramCycle(env: Environment, program: Program): void {
  const chain = parseChain(env)
  if (chain.includes(digestProgram(program)) || chain.length >= deepest) throw toCycleFailure(program)
}

/** The failure of a cycle. */
export function toCycleFailure({ name }: Pick<Program, 'name'>): HelperError {
  return new HelperError(
    'not-configured',
    `${name} ${programCycleNotice}`,
    'name a program that gets a token from somewhere else, and not by this helper',
  )
}

/** What a program is told of those that are running, with itself. */
export function toChainVariables(env: Environment, program: Program): Record<string, string> {
  return { [chainVariable]: [...parseChain(env), digestProgram(program)].join(' ') }
}

function parseChain(env: Environment): string[] {
  return (env[chainVariable] ?? '').split(' ').filter((digest) => digest !== '')
}

function digestProgram({ name, args }: Program): string {
  return toSha256(JSON.stringify([name, ...args])).slice(0, 16)
}
