import {
  AssumeRoleCommand,
  AssumeRoleWithWebIdentityCommand,
  type AssumeRoleWithWebIdentityResponse,
  STSClient,
} from '@aws-sdk/client-sts'
import { HelperError } from '../../../runtime/failure.ts'
import { readIfPresent } from '../../../runtime/files.ts'
import { Secret } from '../../../runtime/secret.ts'
import { type ClientSettings, createClientSettings } from '../sdk/client-settings.ts'
import { toFailure } from '../sdk/failures.ts'
import { interceptionHint } from '../sdk/interception-hint.ts'
import { type AwsContext, type AwsCredentials, toSdkKeys } from './aws-credentials.ts'
import type { SourceOf } from './credential-source.ts'
import { describeRenewal } from './hints.ts'

/** Assumes a role with the credentials `from`. */
export async function assumeRole(
  source: SourceOf<'role'>,
  from: AwsCredentials,
  context: AwsContext,
): Promise<AwsCredentials> {
  const settings = { ...toClientSettings(source, context), credentials: toSdkKeys(from) }
  const command = new AssumeRoleCommand({
    RoleArn: source.roleArn,
    RoleSessionName: source.sessionName ?? createSessionName(context),
    ExternalId: source.externalId,
    DurationSeconds: source.durationSec,
  })
  return send(source, settings, context, (client, abortSignal) => client.send(command, { abortSignal }))
}

/** Assumes a role with a token from an identity provider. The file is read for each call because its token rotates. */
export async function assumeRoleWithWebIdentity(
  source: SourceOf<'web-identity'>,
  context: AwsContext,
): Promise<AwsCredentials> {
  const { deadline } = context.call
  const token = await deadline.during(`reading ${source.tokenFile}`, () => readIfPresent(source.tokenFile))
  if (token === undefined || token.trim() === '')
    throw new HelperError(
      'not-configured',
      `the identity token file ${source.tokenFile} of ${describeOwner(source)} ${token === undefined ? 'does not exist' : 'is empty'}`,
      'find out why the program that writes that file did not, or correct web_identity_token_file',
    )
  const command = new AssumeRoleWithWebIdentityCommand({
    RoleArn: source.roleArn,
    RoleSessionName: source.sessionName ?? createSessionName(context),
    WebIdentityToken: token.trim(),
  })
  const settings = toClientSettings(source, context)
  return send(source, settings, context, (client, abortSignal) => client.send(command, { abortSignal }))
}

type RoleSource = SourceOf<'role' | 'web-identity'>

function toClientSettings({ region }: RoleSource, { call, plan }: AwsContext): ClientSettings {
  return createClientSettings({ service: 'sts', region, endpoints: plan.endpoints }, call)
}

async function send(
  source: RoleSource,
  settings: ClientSettings,
  { call, plan }: AwsContext,
  request: (client: STSClient, signal: AbortSignal) => Promise<AssumeRoleWithWebIdentityResponse>,
): Promise<AwsCredentials> {
  const service = `AWS STS in ${source.region}`
  const { requestHandler } = settings
  const client = new STSClient(settings)
  try {
    const answer = await call.deadline.during(requestHandler.describe(service), ({ signal }) => request(client, signal))
    return parseAnswer(source, answer, requestHandler.clockOffsetMs)
  } catch (error) {
    throw toFailure(error, {
      service,
      refusal: `AWS STS refused the role ${source.roleArn} of ${describeOwner(source)}`,
      hint: describeTrust(source),
      proof: {
        name: source.kind === 'role' ? 'the credentials used to assume it' : 'the identity token',
        renewalHint: describeRenewal(source.kind === 'role' ? source.from : source, plan.files),
      },
    })
  } finally {
    client.destroy()
  }
}

function parseAnswer(
  { roleArn }: RoleSource,
  { Credentials: keys, AssumedRoleUser: user }: AssumeRoleWithWebIdentityResponse,
  clockOffsetMs: number,
): AwsCredentials {
  if (!keys?.AccessKeyId || !keys.SecretAccessKey || !keys.SessionToken)
    throw new HelperError('refused', 'AWS STS answered without credentials', interceptionHint)
  return {
    accessKeyId: keys.AccessKeyId,
    secretAccessKey: new Secret(keys.SecretAccessKey),
    sessionToken: new Secret(keys.SessionToken),
    expiration: keys.Expiration,
    account: roleArn.split(':')[4],
    role: roleArn.split('/').at(-1),
    arn: user?.Arn,
    clockOffsetMs,
  }
}

function describeOwner({ profile }: RoleSource): string {
  return profile === undefined ? 'the environment' : `profile "${profile}"`
}

function describeTrust(source: RoleSource): string {
  return source.kind === 'role'
    ? `have the trust policy of ${source.roleArn} and the policies of this identity allow sts:AssumeRole, or correct role_arn`
    : `have the trust policy of ${source.roleArn} allow this identity token's issuer, subject and audience`
}

/** A different name for each call, so that CloudTrail shows which call made a request. */
function createSessionName({ host }: AwsContext): string {
  return `gatepass-${host.clock.now()}`
}
