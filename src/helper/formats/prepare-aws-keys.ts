import { credentialProcessWriter, renderKeys, stsCredentialsWriter } from '../../contract/formats/credential-process.ts'
import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import type { AwsKeys } from '../aws-keys.ts'
import type { AnyHelper, MintedToken } from '../define-helper.ts'
import type { CommonOptions } from '../options/table.ts'
import type { PreparedFormat } from './read-request.ts'
import type { AskedCall } from './refuse-wrong-action.ts'

/**
 * Prepares a run that prints AWS keys. Their document is cached in place of a token, under a key of its own, because the AWS tools
 * start a helper for each command. Keys that do not expire are never written to disk, like every token that does not expire.
 */
export async function prepareAwsKeys({ program, helper, options }: AskedCall): Promise<PreparedFormat> {
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
  const writer = options.format === 'sts-credentials' ? stsCredentialsWriter : credentialProcessWriter
  return { work: 'credential', helper: credentialHelper, writer }
}

/** @throws {HelperError} `usage` for a helper that has no AWS credentials. */
export function requireKeys(
  { program, helper }: Pick<AskedCall, 'program' | 'helper'>,
  { format }: Pick<CommonOptions, 'format'>,
) {
  if (helper.awsCredentials) return helper.awsCredentials
  throw new HelperError(
    'usage',
    `--format ${format} is for AWS credentials, and ${program} has none`,
    `choose a helper whose options name an AWS profile, or another format; see: ${program} --help`,
  )
}

function toMinted({ secretAccessKey, sessionToken, clockOffsetMs = 0, ...rest }: AwsKeys): MintedToken {
  const { accessKeyId, expiration, account } = rest
  const document = renderKeys({
    ...{ accessKeyId, expiration, account },
    secretAccessKey: secretAccessKey.reveal(),
    sessionToken: sessionToken?.reveal(),
  })
  return {
    token: new Secret(document),
    // The cache compares it with this machine's clock.
    expiresAt: expiration && new Date(expiration.getTime() - clockOffsetMs),
    clockOffsetMs,
    facts: {},
  }
}
