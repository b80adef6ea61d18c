import { HelperError } from '../../../runtime/failure.ts'
import {
  createCycleFailure,
  credentialProcessVariable,
  cycleNotice,
  listAskedProfiles,
} from '../../../runtime/program/credential-process-cycle.ts'
import { floodProblem, type RunOutcome, runProcess } from '../../../runtime/run-process.ts'
import { Secret } from '../../../runtime/secret.ts'
import { quoteForAnyShell } from '../../../runtime/text/quote.ts'
import { isText, parseObject } from '../../../runtime/values/json-value.ts'
import { toChildEnvironment, toSilentEnvironment } from '../../child-environment.ts'
import type { AwsContext, AwsCredentials, SourceOf } from './credential-source.ts'

/**
 * Runs a profile's `credential_process` in the shell, as the SDK does. The SDK itself is not used, because its child process outlives the
 * deadline and has the client's PATH, which often lacks the directories of the user's shell.
 */
export async function runCredentialProcess(
  source: Process,
  { host, call, plan, path }: AwsContext,
): Promise<AwsCredentials> {
  const run = { source, hint: plan.describeRenewal() }
  const child = toChildEnvironment(host.env)
  const env = {
    ...(call.renews === undefined ? child : toSilentEnvironment(child)),
    ...(path && { PATH: path }),
    [credentialProcessVariable]: [...listAskedProfiles(host.env), source.profile].join('\n'),
  }
  let state = ''
  const onExit = () => {
    state = ` has ended without a whole document, and a program that it started and that holds its stdout open`
  }
  const isWhole = (stdout: Uint8Array) => parseDocument(stdout) !== undefined
  const outcome = await call.deadline.whole.during(
    'program',
    () => `${describeProcess(source)}${state}`,
    ({ signal }) => runProcess({ command: { shell: source.command }, env, signal, isWhole, onExit }),
  )
  return parseCredentials(run, requireOutput(run, outcome))
}

type Process = SourceOf<'process'>

/** A run of a program, and the hint for a failure of the program itself. */
interface ProcessRun {
  readonly source: Process
  readonly hint: string
}

function requireOutput(run: ProcessRun, outcome: RunOutcome): Uint8Array {
  const { source } = run
  if (outcome.ended === 'not-started') throw toFailure(run, `cannot be started (${outcome.code})`)
  if (outcome.ended === 'flooded') throw toFailure(run, floodProblem)
  if (outcome.ended === 'killed') throw toFailure(run, `was killed by ${outcome.by}`)
  if (outcome.status === 0) return outcome.stdout
  if (outcome.stderr.includes(cycleNotice)) throw createCycleFailure(source.profile)
  // The exit status of a shell that does not find the program: 127 in POSIX shells, 9009 in cmd.exe.
  if (outcome.status === 127 || outcome.status === 9009)
    throw new HelperError(
      'not-configured',
      `${describeProcess(source)} was not found${nameProgram(source)}, or a program that it runs was not`,
      'write the absolute path of the program into the profile, or set --path to the directories to look in',
    )
  // The exit status of a POSIX shell that finds the file but cannot execute it.
  if (outcome.status === 126)
    throw new HelperError(
      'not-configured',
      `${describeProcess(source)} is not executable${nameProgram(source)}, or a program that it runs is not`,
      `run: chmod u+x ${quotePath(findProgram(source) ?? 'PROGRAM')}`,
    )
  throw toFailure(run, `failed with exit status ${outcome.status}`)
}

/** Parses version 1 of the document in AWS's guide "Sourcing credentials with an external process". */
function parseCredentials(run: ProcessRun, stdout: Uint8Array): AwsCredentials {
  const value = parseDocument(stdout)
  if (!value) throw toFailure(run, 'printed something that is not one JSON object')
  if (value.Version !== 1) throw toFailure(run, 'printed a document whose "Version" is not 1')
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration, AccountId } = value
  if (!isText(AccessKeyId) || !isText(SecretAccessKey))
    throw toFailure(run, 'printed no AccessKeyId or no SecretAccessKey')
  if ([AccessKeyId, SecretAccessKey, SessionToken, AccountId].some((text) => isText(text) && !text.isWellFormed()))
    throw toFailure(run, 'printed a text with half of a surrogate pair, which is not Unicode')
  const expiration = isText(Expiration) ? new Date(Expiration) : undefined
  if (expiration && Number.isNaN(expiration.getTime()))
    throw toFailure(run, 'printed an "Expiration" that is not a date')
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: new Secret(SecretAccessKey),
    sessionToken: isText(SessionToken) ? new Secret(SessionToken) : undefined,
    expiration,
    account: isText(AccountId) ? AccountId : run.source.account,
  }
}

function parseDocument(stdout: Uint8Array): Record<string, unknown> | undefined {
  return parseObject(new TextDecoder().decode(stdout).trim())
}

/**
 * Finds the program in the command line, without its arguments and the variables before it, because both may hold a secret. `undefined` if
 * only a shell could tell which word is the program.
 */
function findProgram({ command }: Process): string | undefined {
  const assignment = /[A-Za-z_]\w*=(?:"[^"$`\\]*"|'[^']*'|[\w@%+:,./~-]*)[ \t]+/
  const word = /(?:"([^"$`]+)"|'([^']+)'|([\w@%+:,./~\\-]+))(?=[ \t]|$)/
  const match = new RegExp(`^\\s*(?:${assignment.source})*${word.source}`).exec(command)
  return match?.slice(1).find((found) => found !== undefined)
}

function nameProgram(source: Process): string {
  const program = findProgram(source)
  return program === undefined ? '' : ` (${program})`
}

/** Quotes a path for the shell, except a tilde at its beginning, which the shell expands only outside quotes. */
function quotePath(path: string): string {
  return path.startsWith('~/') ? `~/${quoteForAnyShell(path.slice(2))}` : quoteForAnyShell(path)
}

function toFailure({ source, hint }: ProcessRun, problem: string): HelperError {
  return new HelperError('refused', `${describeProcess(source)} ${problem}`, hint)
}

function describeProcess({ profile }: Process): string {
  return `the credential_process of profile "${profile}"`
}
