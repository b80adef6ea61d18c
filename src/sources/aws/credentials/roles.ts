import {
  AssumeRoleCommand,
  AssumeRoleWithWebIdentityCommand,
  type AssumeRoleWithWebIdentityResponse,
  STSClient,
} from '@aws-sdk/client-sts'
import { HelperError } from '../../../runtime/failure.ts'
import { readIfPresent } from '../../../runtime/files.ts'
import { Secret } from '../../../runtime/secret.ts'
import { type ClientSettings, clientSettings } from '../sdk/client-settings.ts'
import { asFailure } from '../sdk/failures.ts'
import type { AwsContext, AwsCredentials } from './aws-credentials.ts'
import type { SourceOf } from './credential-source.ts'
import { renewalOf } from './renewal.ts'

/** Assumes a role with other credentials. */
export async function assumeRole(
  source: SourceOf<'role'>,
  from: AwsCredentials,
  surroundings: AwsContext,
): Promise<AwsCredentials> {
  const credentials = {
    accessKeyId: from.accessKeyId,
    secretAccessKey: from.secretAccessKey.reveal(),
    ...(from.sessionToken && { sessionToken: from.sessionToken.reveal() }),
  }
  const settings = { ...clientSettings(source, surroundings.call), credentials }
  const command = new AssumeRoleCommand({
    RoleArn: source.roleArn,
    RoleSessionName: source.sessionName ?? sessionName(surroundings),
    ExternalId: source.externalId,
    DurationSeconds: source.durationSec,
  })
  return ask(source, settings, surroundings, (client, abortSignal) => client.send(command, { abortSignal }))
}

/** Assumes a role with a token from an identity provider, read anew each time because it rotates. */
export async function assumeRoleWithWebIdentity(
  source: SourceOf<'web-identity'>,
  surroundings: AwsContext,
): Promise<AwsCredentials> {
  const { deadline } = surroundings.call
  const token = await deadline.during(`reading ${source.tokenFile}`, () => readIfPresent(source.tokenFile))
  if (token === undefined || token.trim() === '')
    throw new HelperError(
      'not-configured',
      `the identity token file ${source.tokenFile} of ${ownerOf(source)} ${token === undefined ? 'does not exist' : 'is empty'}`,
      'find out why whatever writes that file did not, or correct web_identity_token_file',
    )
  const command = new AssumeRoleWithWebIdentityCommand({
    RoleArn: source.roleArn,
    RoleSessionName: source.sessionName ?? sessionName(surroundings),
    WebIdentityToken: token.trim(),
  })
  const settings = clientSettings(source, surroundings.call)
  return ask(source, settings, surroundings, (client, abortSignal) => client.send(command, { abortSignal }))
}

type RoleSource = SourceOf<'role' | 'web-identity'>

async function ask(
  source: RoleSource,
  settings: ClientSettings,
  { call, plan }: AwsContext,
  send: (client: STSClient, signal: AbortSignal) => Promise<AssumeRoleWithWebIdentityResponse>,
): Promise<AwsCredentials> {
  const asked = `AWS STS in ${source.region}`
  const { requestHandler } = settings
  const client = new STSClient(settings)
  try {
    const answer = await call.deadline.during(requestHandler.describe(asked), ({ signal }) => send(client, signal))
    return parseAnswer(source, answer, requestHandler.clockOffsetMs)
  } catch (error) {
    throw asFailure(error, {
      asked,
      refusal: `AWS STS refused the role ${source.roleArn} of ${ownerOf(source)}`,
      way: trustHint(source),
      proof: {
        name: source.kind === 'role' ? 'the credentials that were to assume it' : 'the identity token',
        renewal: renewalOf(source.kind === 'role' ? source.from : source, plan.files),
      },
    })
  } finally {
    client.destroy()
  }
}

function parseAnswer(
  { roleArn }: RoleSource,
  { Credentials: keys }: AssumeRoleWithWebIdentityResponse,
  clockOffsetMs: number,
): AwsCredentials {
  if (!keys?.AccessKeyId || !keys.SecretAccessKey || !keys.SessionToken)
    throw new HelperError(
      'refused',
      'AWS STS answered without credentials',
      'find out what stands between here and AWS',
    )
  return {
    accessKeyId: keys.AccessKeyId,
    secretAccessKey: new Secret(keys.SecretAccessKey),
    sessionToken: new Secret(keys.SessionToken),
    expiration: keys.Expiration,
    account: roleArn.split(':')[4],
    role: roleArn.split('/').at(-1),
    clockOffsetMs,
  }
}

function ownerOf({ profile }: RoleSource): string {
  return profile === undefined ? 'the environment' : `profile "${profile}"`
}

function trustHint(source: RoleSource): string {
  return source.kind === 'role'
    ? `have the trust policy of ${source.roleArn} and the policies of this identity allow sts:AssumeRole, or correct role_arn`
    : `have the trust policy of ${source.roleArn} allow this identity token's issuer, subject and audience`
}

/** Unique per call, so that the audit trail of the account tells the calls apart. */
function sessionName({ host }: AwsContext): string {
  return `gatepass-${host.clock.now()}`
}
