import { credentialProcessVariable, cycleNotice } from '../../../runtime/credential-process.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { RunOutcome } from '../../../runtime/run-process.ts'
import { Secret } from '../../../runtime/secret.ts'
import { passedOn } from '../../child-environment.ts'
import type { AwsContext, AwsCredentials } from './aws-credentials.ts'
import type { SourceOf } from './credential-source.ts'
import { quoteWord } from './renewal.ts'

type Process = SourceOf<'process'>

/**
 * Runs a profile's `credential_process` through the shell, as the SDK does. Not by the SDK, whose child outlives the
 * deadline and finds programs only on the client's own, often bare, PATH.
 */
export async function runCredentialProcess(source: Process, { host, call, path }: AwsContext): Promise<AwsCredentials> {
  const env = { ...passedOn(host.env), ...(path && { PATH: path }), [credentialProcessVariable]: source.profile }
  const outcome = await call.deadline.during(`the credential_process of profile "${source.profile}"`, ({ signal }) =>
    host.run({ command: { shell: source.command }, env, signal }),
  )
  return parseCredentials(source, readOutcome(source, outcome))
}

function readOutcome(source: Process, outcome: RunOutcome): string {
  if (outcome.ended === 'started-not') throw failed(source, `cannot be started (${outcome.code})`)
  if (outcome.ended === 'killed') throw failed(source, `was ended by ${outcome.by}`)
  if (outcome.status === 0) return new TextDecoder().decode(outcome.stdout)
  if (outcome.stderr.includes(cycleNotice))
    throw new HelperError(
      'not-configured',
      `the credential_process of profile "${source.profile}" ${cycleNotice}`,
      `give profile "${source.profile}" a credential_process that prints AWS credentials, or another kind of credentials`,
    )
  // What a shell answers when there is no such program: POSIX 127, cmd.exe 9009.
  if (outcome.status === 127 || outcome.status === 9009)
    throw new HelperError(
      'not-configured',
      `the credential_process of profile "${source.profile}" was not found (${programOf(source)}), or something that it runs`,
      'write the absolute path of the program into the profile, or set --path to the directories to look in',
    )
  // What a POSIX shell answers when the file is there and cannot be run.
  if (outcome.status === 126)
    throw new HelperError(
      'not-configured',
      `the credential_process of profile "${source.profile}" is not executable (${programOf(source)})`,
      `run: chmod u+x ${quotePath(programOf(source))}`,
    )
  throw failed(source, `failed with exit status ${outcome.status}`)
}

/** The document of AWS's "Sourcing credentials with an external process", version 1. */
function parseCredentials(source: Process, text: string): AwsCredentials {
  const value = parseObject(text)
  if (!value) throw failed(source, 'printed something that is not one JSON object')
  if (value.Version !== 1) throw failed(source, 'printed a document whose "Version" is not 1')
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration, AccountId } = value
  if (!isText(AccessKeyId) || !isText(SecretAccessKey))
    throw failed(source, 'printed no AccessKeyId or no SecretAccessKey')
  const expiration = isText(Expiration) ? new Date(Expiration) : undefined
  if (expiration && Number.isNaN(expiration.getTime())) throw failed(source, 'printed an "Expiration" that is no date')
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: new Secret(SecretAccessKey),
    sessionToken: isText(SessionToken) ? new Secret(SessionToken) : undefined,
    expiration,
    account: isText(AccountId) ? AccountId : source.account,
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim().replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined // the parser's message would repeat what may be a secret
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Its arguments may hold a secret, so only the program is named. */
function programOf({ command }: Process): string {
  // Assignments before the program may hold a secret too.
  const rest = command.replace(/^\s*([A-Za-z_]\w*=("[^"]*"|'[^']*'|\S*)\s+)*/, '')
  const words = /^"([^"]+)"|^'([^']+)'|^(\S+)/.exec(rest) ?? []
  return words.slice(1).find((word) => word !== undefined) ?? 'empty'
}

/** A tilde means the home directory only outside quotes. */
function quotePath(path: string): string {
  return path.startsWith('~/') ? `~/${quoteWord(path.slice(2))}` : quoteWord(path)
}

function failed(source: Process, what: string): HelperError {
  return new HelperError(
    'refused',
    `the credential_process of profile "${source.profile}" ${what}`,
    `see what it says with: aws configure export-credentials --profile ${quoteWord(source.profile)}`,
  )
}
