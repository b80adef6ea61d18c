// Refuses a program that would start this helper again; `runtime/program/credential-process-cycle.ts` does so for AWS profiles.

import { toSha256 } from '../../runtime/digest.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Environment } from '../../runtime/run-process.ts'
import type { Program } from './program.ts'

/** A part of the message, by which the helper that started the cycle recognizes it, even through a script. */
export const programCycleNotice = 'runs a credential helper that would run it again'

/** Refuses to run a program that has started this process. @throws {HelperError} `not-configured` */
export function refuseProgramCycle(env: Environment, program: Program): void {
  const chain = parseChain(env)
  if (chain.includes(digestProgram(program)) || chain.length >= maxDepth) throw toCycleFailure(program)
}

/** The deepest nesting of helpers. A deeper one is a cycle whose arguments differ each time. Our decision. */
const maxDepth = 8

/** Creates the failure that reports a cycle. */
export function toCycleFailure({ name }: Pick<Program, 'name'>): HelperError {
  return new HelperError(
    'not-configured',
    `${name} ${programCycleNotice}`,
    'name a program that gets a token from somewhere else, and not by this helper',
  )
}

/** Creates the variable with the digests of the programs that are running, this one included. */
export function toChainVariables(env: Environment, program: Program): Record<string, string> {
  return { [chainVariable]: [...parseChain(env), digestProgram(program)].join(' ') }
}

/**
 * The variable with the digests of the programs that helpers are running, the outermost first. A helper that one of them starts, directly
 * or through a script, recognizes the cycle before it waits for a lock that the outer helper holds.
 */
const chainVariable = 'GATEPASS_RUNNING_PROGRAMS'

function parseChain(env: Environment): string[] {
  return (env[chainVariable] ?? '').split(' ').filter((digest) => digest !== '')
}

function digestProgram({ name, args }: Program): string {
  return toSha256(JSON.stringify([name, ...args])).slice(0, 16)
}
