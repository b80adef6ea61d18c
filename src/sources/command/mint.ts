import type { Call, MintedToken } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { Secret } from '../../runtime/secret.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { toClaimFacts } from '../claim-facts.ts'
import type { ProgramHost } from '../program/program.ts'
import { readOutput } from '../program/read-output.ts'
import { type ProgramRun, runProgram } from '../program/run-program.ts'
import { type PrintedFormat, parsePrinted } from './parse-printed.ts'
import type { CommandPlan } from './plan.ts'
import type { Printed } from './printed.ts'
import { findSignInFailure } from './sign-in.ts'

/** The part of the host that a run needs. */
export type CommandHost = ProgramHost & Pick<Host, 'clock'>

/** The part of a call that a run needs. */
export interface CommandCall extends Pick<Call, 'deadline' | 'context'> {
  readonly wantedFacts?: ReadonlySet<string>
}

/** What to do about AWS keys, where the caller knows nothing better. */
const keysHint = 'name a program that prints a bearer token'

/**
 * Runs a program and takes the token that it prints.
 * @param awsKeysHint What to do where it prints AWS keys in the place of a token, imperative.
 * @throws {HelperError} why it gave none, in words that repeat no secret.
 */
export async function mintFromCommand(
  host: CommandHost,
  call: CommandCall,
  plan: CommandPlan,
  awsKeysHint = keysHint,
): Promise<MintedToken> {
  const format = { name: plan.program.name, settings: plan.settings, awsKeysHint }
  // From before the program ran: a life from now may be counted from there, and no token was given earlier.
  const startedAt = host.clock.now()
  const run = await runCommand(host, call, plan, format)
  const printed = parsePrinted(await readOutput(run, toHints(plan)), format)
  const claims = parseJwt(printed.token)?.claims
  const expiresAt = findEnd(printed, claims?.exp, startedAt, plan.settings.life)
  if (expiresAt !== undefined && expiresAt.getTime() <= host.clock.now()) throw toExpired(plan, expiresAt)
  return {
    token: new Secret(printed.token),
    expiresAt,
    facts: findFacts(claims, call.wantedFacts, plan.program.name),
    headers: printed.headers,
  }
}

/** Runs the program of a plan, with what a plugin of Kubernetes asks for. */
export function runCommand(
  host: CommandHost,
  call: CommandCall,
  { program, settings: { output } }: CommandPlan,
  format: PrintedFormat,
): Promise<ProgramRun> {
  const info = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', spec: { interactive: false } }
  const isWanted = output === 'exec-credential' && host.env.KUBERNETES_EXEC_INFO === undefined
  return runProgram(host, call, program, {
    variables: isWanted ? { KUBERNETES_EXEC_INFO: JSON.stringify(info) } : {},
    isWhole: (text) => isToken(() => parsePrinted(text, format)),
  })
}

/** What a program that gave no token is explained with. */
export function toHints({ program: { name }, settings }: CommandPlan) {
  return {
    hint: `see what it says when you run ${name} in a terminal`,
    findSignIn: (run: ProgramRun, message: string) => findSignInFailure(run, message, settings['sign-in-command']),
  }
}

/**
 * When a token ends: as the output says it, else as a JWT says it, else after the given life. A JWT that ends before the output
 * says so ends then: an answer that was kept repeats its first "seconds from now".
 */
export function findEnd(
  { end }: Pick<Printed, 'end'>,
  exp: unknown,
  startedAt: number,
  lifeSec: number | undefined,
): Date | undefined {
  const ends = [
    ...(end === undefined ? [] : ['atMs' in end ? end.atMs : startedAt + end.inSec * 1000]),
    ...(typeof exp === 'number' && Number.isFinite(exp) ? [exp * 1000] : []),
  ]
  if (ends.length > 0) return new Date(Math.min(...ends))
  return lifeSec === undefined ? undefined : new Date(startedAt + lifeSec * 1000)
}

function findFacts(
  claims: Readonly<Record<string, unknown>> | undefined,
  wanted: ReadonlySet<string> | undefined,
  name: string,
): Record<string, string> {
  const { iss: issuer, sub: subject } = claims ?? {}
  const texts = Object.entries({ issuer, subject }).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  return { ...Object.fromEntries(texts), ...toClaimFacts(claims ?? {}, wanted, `the token that ${name} printed`) }
}

function toExpired({ program: { name }, settings }: CommandPlan, expiresAt: Date): HelperError {
  const command = settings['sign-in-command']
  return new HelperError(
    command === undefined ? 'refused' : 'sign-in-required',
    `${name} printed a token that expired at ${expiresAt.toISOString()}`,
    command === undefined
      ? `find out why it does not renew it: run ${name} in a terminal`
      : `run in a terminal: ${command}`,
  )
}

function isToken(parse: () => Printed): boolean {
  try {
    parse()
    return true
  } catch {
    return false
  }
}
