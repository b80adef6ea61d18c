// Folder: the helper that prints the token of a program: the forms of the program's output, and the token's expiry.

import { execInfoVariable, silentExecInfo } from '../../contract/exec-credential.ts'
import type { Call, MintedToken } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { Secret } from '../../runtime/secret.ts'
import { quoteForAnyShell } from '../../runtime/text/quote.ts'
import { toClaimFacts } from '../../runtime/tokens/claim-facts.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { selectTexts } from '../../runtime/values/json-value.ts'
import { nameProgram, type ProgramHost } from '../program/program.ts'
import { readOutput } from '../program/read-output.ts'
import { type ProgramRun, runProgram } from '../program/run-program.ts'
import { type PrintedFormat, parsePrinted } from './parse-printed.ts'
import type { CommandPlan } from './plan-command.ts'
import type { Printed } from './token-documents.ts'

/** The part of the host with which a program is run. */
export type CommandHost = ProgramHost & Pick<Host, 'clock'>

/** The part of a call with which a program is run. */
export interface TokenCommandCall extends Pick<Call, 'deadline' | 'context'> {
  readonly wantedFacts?: ReadonlySet<string>
}

/** The hint for output that holds AWS keys, unless the caller has a better one. */
export const keysHint = 'name a program that prints a bearer token'

/**
 * Runs a program and returns the token that it prints.
 * @param awsKeysHint The hint if it prints AWS keys instead of a token, imperative.
 * @throws {HelperError} that names the reason and repeats no secret.
 */
export async function mintFromCommand(
  host: CommandHost,
  call: TokenCommandCall,
  plan: CommandPlan,
  awsKeysHint = keysHint,
): Promise<MintedToken> {
  const format = { name: plan.program.name, settings: plan.settings, awsKeysHint }
  // Read before the program runs. A life in seconds is counted from here, because the token cannot have been issued earlier.
  const startedAt = host.clock.now()
  const run = await runCommand(host, call, plan, format)
  const printed = parsePrinted(await readOutput(run, toHints(plan)), format)
  const claims = parseJwt(printed.token)?.claims
  const expiresAt = computeExpiry(printed, claims?.exp, startedAt, plan.settings.life)
  if (expiresAt !== undefined && expiresAt.getTime() <= host.clock.now()) throw toExpired(plan, expiresAt)
  return {
    token: new Secret(printed.token),
    expiresAt,
    facts: toFacts(claims, call.wantedFacts, plan.program.name),
    headers: printed.headers,
  }
}

/** Runs the program of a plan, with the variable that a Kubernetes exec plugin needs. */
export function runCommand(
  host: CommandHost,
  call: TokenCommandCall,
  { program, settings: { output } }: CommandPlan,
  format: PrintedFormat,
): Promise<ProgramRun> {
  const isWanted = output === 'exec-credential' && host.env[execInfoVariable] === undefined
  return runProgram(host, call, program, {
    variables: isWanted ? { [execInfoVariable]: silentExecInfo } : {},
    isWhole: (text) => isToken(() => parsePrinted(text, format)),
  })
}

/** Creates the hints for a program that printed no token. */
export function toHints({ program: { name }, settings }: CommandPlan) {
  return {
    hint: `see what it says when you run ${name} in a terminal`,
    findSignIn: (run: ProgramRun, message: string) => findSignInFailure(run, message, settings['sign-in-command']),
  }
}

/**
 * Computes when a token expires: the earlier of the expiries in the output and in the token itself, if it is a JWT; otherwise after the
 * configured life. A JWT may expire earlier than the output says, because a cached output repeats its first "seconds from now".
 */
export function computeExpiry(
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

function toExpired({ program: { name }, settings }: CommandPlan, expiresAt: Date): HelperError {
  const command = settings['sign-in-command']
  return new HelperError(
    command === undefined ? 'refused' : 'sign-in-required',
    `${name} printed a token that expired at ${expiresAt.toISOString()}`,
    command === undefined
      ? `find out why it does not renew the token: run ${name} in a terminal`
      : `run in a terminal: ${command}`,
  )
}

function toFacts(
  claims: Readonly<Record<string, unknown>> | undefined,
  wanted: ReadonlySet<string> | undefined,
  name: string,
): Record<string, string> {
  const { iss: issuer, sub: subject } = claims ?? {}
  return {
    ...selectTexts({ issuer, subject }),
    ...toClaimFacts(claims ?? {}, wanted, `the token that ${name} printed`),
  }
}

/** Returns whether the output so far is a whole token. An error is ignored, because it is reported when the program ends. */
function isToken(attempt: () => Printed): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

/** The words with which a known program asks for a sign-in, and the hint. */
interface SignInRow {
  readonly says: RegExp
  /** The arguments with which the program signs in; absent: `hint` is the whole instruction, imperative. */
  readonly args?: string
  readonly hint?: string
  /** An argument without which the words mean something else. */
  readonly argument?: string
}

/** Rows by the program's name. The words are from each program's documentation and published code. */
const programs: Readonly<Record<string, SignInRow>> = {
  gcloud: { says: /gcloud auth login|reauthenticat/i, args: 'auth login' },
  az: { says: /az login|AADSTS\d+/, args: 'login' },
  gh: { says: /no oauth token|gh auth login|not logged in/i, args: 'auth login' },
  vault: { says: /missing client token|invalid token|bad token/i, args: 'login' },
  op: { says: /not (?:currently )?signed in|no accounts configured|session expired|authorization/i, args: 'signin' },
  cloudflared: {
    says: /unable to find token|token for provided application was empty/i,
    hint: 'run in a terminal: cloudflared access login ADDRESS, with the address of the application',
  },
  curl: { says: /returned error: 401/, argument: '--negotiate', hint: 'run in a terminal: kinit' },
  databricks: { says: /databricks auth login|refresh token is invalid|cache: /i, args: 'auth login' },
  security: {
    says: /user interaction is not allowed|-25308/i,
    hint: 'run in a terminal: security unlock-keychain',
  },
  pass: {
    says: /no pinentry|inappropriate ioctl|no secret key|decryption failed|timeout|cancelled/i,
    hint: 'unlock the key in a terminal, so that its agent keeps it: pass show ENTRY',
  },
}

/** The words with which any other program asks for a sign-in. */
const generalWords =
  /\bnot (?:currently |yet )?(?:logged|signed) ?in\b|\b(?:log|sign)[ -]?in (?:again|first|required)|\bplease (?:run|log|sign|re-?auth)|re-?authenticat|\b(?:session|credentials?|login|refresh token) (?:has |have |is |are )?expired|\bunauthenticated\b|\bno (?:kerberos )?credentials\b|\bticket expired\b/i

/**
 * Finds the failure of a program whose output asks for a sign-in; `undefined` if it does not.
 * @param command The command that signs in, if an option has it.
 */
export function findSignInFailure(
  { program: { name, args }, outcome }: ProgramRun,
  message: string,
  command: string | undefined,
): HelperError | undefined {
  if (outcome.ended !== 'exited') return undefined
  const known = findRow(name, args)
  if (!known?.says.test(outcome.stderr) && !generalWords.test(outcome.stderr)) return undefined
  return new HelperError('sign-in-required', message, describeSignIn(name, known, command))
}

function findRow(name: string, args: readonly string[]): SignInRow | undefined {
  const base = nameProgram(name)
  const row = Object.hasOwn(programs, base) ? programs[base] : undefined
  return row?.argument === undefined || args.includes(row.argument) ? row : undefined
}

function describeSignIn(name: string, known: SignInRow | undefined, command: string | undefined): string {
  if (command !== undefined) return `run in a terminal: ${command}`
  if (known?.args !== undefined) return `run in a terminal: ${quoteForAnyShell(name)} ${known.args}`
  return (
    known?.hint ?? `sign in with ${name} in a terminal, as it says; set sign-in-command to have that command shown here`
  )
}
