import {
  AssumeRoleCommand,
  AssumeRoleWithWebIdentityCommand,
  type AssumeRoleWithWebIdentityResponse,
  STSClient,
} from '@aws-sdk/client-sts'
import { HelperError } from '../../runtime/failure.ts'
import { readIfPresent } from '../../runtime/files.ts'
import { Secret } from '../../runtime/secret.ts'
import { clientSettings } from './client-settings.ts'
import type { SourceOf } from './credential-source.ts'
import type { AwsCredentials, Surroundings } from './credentials.ts'
import { asFailure } from './failures.ts'

/** Assumes a role with other credentials. */
export async function assumeRole(
  source: SourceOf<'role'>,
  from: AwsCredentials,
  { host, call }: Surroundings,
): Promise<AwsCredentials> {
  const credentials = {
    accessKeyId: from.accessKeyId,
    secretAccessKey: from.secretAccessKey.reveal(),
    ...(from.sessionToken && { sessionToken: from.sessionToken.reveal() }),
  }
  const client = new STSClient({ ...clientSettings(source), credentials })
  const command = new AssumeRoleCommand({
    RoleArn: source.roleArn,
    RoleSessionName: source.sessionName ?? sessionName(host.clock.now()),
    ExternalId: source.externalId,
    DurationSeconds: source.durationSec,
  })
  return ask(client, source, call, (signal) => client.send(command, { abortSignal: signal }))
}

/** Assumes a role with a token from an identity provider, read anew each time because it rotates. */
export async function assumeRoleWithWebIdentity(
  source: SourceOf<'web-identity'>,
  { host, call }: Surroundings,
): Promise<AwsCredentials> {
  const token = await call.deadline.during(`reading ${source.tokenFile}`, () => readIfPresent(source.tokenFile))
  if (token === undefined || token.trim() === '')
    throw new HelperError(
      'not-configured',
      `the identity token file ${source.tokenFile} of ${ownerOf(source)} ${token === undefined ? 'does not exist' : 'is empty'}`,
      'find out why whatever writes that file did not, or correct web_identity_token_file',
    )
  const client = new STSClient(clientSettings(source))
  const command = new AssumeRoleWithWebIdentityCommand({
    RoleArn: source.roleArn,
    RoleSessionName: source.sessionName ?? sessionName(host.clock.now()),
    WebIdentityToken: token.trim(),
  })
  return ask(client, source, call, (signal) => client.send(command, { abortSignal: signal }))
}

type RoleSource = SourceOf<'role' | 'web-identity'>

async function ask(
  client: STSClient,
  source: RoleSource,
  { deadline }: Surroundings['call'],
  send: (signal: AbortSignal) => Promise<AssumeRoleWithWebIdentityResponse>,
): Promise<AwsCredentials> {
  try {
    const answer = await deadline.during(`AWS STS, asked for the role ${source.roleArn},`, send)
    return parseAnswer(source, answer, client.config.systemClockOffset)
  } catch (error) {
    throw asFailure(error, {
      asked: `AWS STS in ${source.region}`,
      refusal: `AWS STS refused the role ${source.roleArn} of ${ownerOf(source)}`,
      way: trustHint(source),
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
    ? `have the trust policy of ${source.roleArn} allow sts:AssumeRole for this identity, or correct role_arn`
    : `have the trust policy of ${source.roleArn} allow this identity token's issuer, subject and audience`
}

/** Unique per call, so that the audit trail of the account tells the calls apart. */
function sessionName(now: number): string {
  return `gatepass-${now}`
}
