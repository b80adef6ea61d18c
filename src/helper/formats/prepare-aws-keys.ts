import { type OutputWriter, renderInstant } from '../../contract/output-format.ts'
import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import type { AnyHelper, AwsKeys, MintedToken } from '../define-helper.ts'
import type { CommonOptions } from '../options/every-helper-options.ts'
import type { AskedCall, PreparedFormat } from './read-request.ts'

/** Prepares a run for the AWS tools. @throws {HelperError} `usage` for a helper that has no AWS credentials. */
export async function prepareCredentialProcess(asked: AskedCall): Promise<PreparedFormat> {
  return prepareAwsKeys(asked, credentialProcessWriter)
}

/** Prepares a run for a client that reads the answer of AWS STS. @throws {HelperError} as {@link prepareCredentialProcess}. */
export async function prepareStsCredentials(asked: AskedCall): Promise<PreparedFormat> {
  return prepareAwsKeys(asked, stsCredentialsWriter)
}

/**
 * Prepares a run that prints AWS keys. Their document is cached like a token, under a key of its own, because the AWS tools start the
 * helper for each command. Keys that do not expire are never written to disk, like every token without an expiry.
 */
function prepareAwsKeys({ program, helper, options }: AskedCall, writer: OutputWriter): PreparedFormat {
  const awsCredentials = requireKeys({ program, helper }, options)
  const credentialHelper: AnyHelper = {
    ...helper,
    async plan(host, options, call) {
      const plan = await helper.plan(host, options, call)
      return { ...plan, inputs: { awsCredentials: plan.inputs } }
    },
    async mint(host, options, call, plan) {
      return toMinted(await awsCredentials(host, options, call, plan))
    },
  }
  return { work: 'credential', helper: credentialHelper, writer }
}

/** Requires a helper with AWS credentials. @throws {HelperError} `usage` */
export function requireKeys(
  { program, helper }: Pick<AskedCall, 'program' | 'helper'>,
  { format }: Pick<CommonOptions, 'format'>,
) {
  if (helper.obtainAwsCredentials) return helper.obtainAwsCredentials
  throw new HelperError(
    'usage',
    `--format ${format} is for AWS credentials, and ${program} has none`,
    `choose a helper whose options name an AWS profile, or another format; see: ${program} --help`,
  )
}

function toMinted(keys: AwsKeys): MintedToken {
  const { expiration, clockOffsetMs = 0 } = keys
  return {
    token: new Secret(renderKeys(keys)),
    expiresAt: expiration && new Date(expiration.getTime() - clockOffsetMs),
    clockOffsetMs,
    facts: {},
  }
}

/** Renders version 1 of the document in AWS's guide "Sourcing credentials with an external process". */
function renderKeys({ accessKeyId, secretAccessKey, sessionToken, expiration, account }: AwsKeys): string {
  return JSON.stringify({
    Version: 1,
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey.reveal(),
    SessionToken: sessionToken?.reveal(),
    Expiration: expiration && renderInstant(expiration.getTime()),
    AccountId: account,
  })
}

/** Prints the document instead of a token. */
const credentialProcessWriter: OutputWriter = {
  render: ({ token }) => `${token}\n`,
}

/**
 * Prints the keys in the form of an answer of AWS STS in JSON, as `aws sts get-session-token` does. The cache holds the other document, so
 * that clients of both formats share an entry.
 */
const stsCredentialsWriter: OutputWriter = {
  render: ({ token }) => {
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = JSON.parse(token)
    return `${JSON.stringify({ Credentials: { AccessKeyId, SecretAccessKey, SessionToken, Expiration } })}\n`
  },
}
