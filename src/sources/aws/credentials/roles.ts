import { readIfPresent } from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import { type AwsOperation, describeApi, findElement } from '../request/aws-error.ts'
import { interceptionHint, refuseForeignText } from '../request/foreign-answer.ts'
import { toFailure } from '../request/request-failures.ts'
import { type AwsAnswer, sendOperation } from '../request/send-operation.ts'
import type { AwsContext, AwsCredentials, SourceOf } from './credential-source.ts'

/** Assumes a role with the credentials `from`. */
export async function assumeRole(
  source: SourceOf<'role'>,
  from: AwsCredentials,
  context: AwsContext,
): Promise<AwsCredentials> {
  const input = {
    RoleArn: source.roleArn,
    RoleSessionName: source.sessionName ?? createSessionName(context),
    DurationSeconds: source.durationSec,
    ...(source.externalId !== undefined && { ExternalId: source.externalId }),
  }
  return send(source, { api: 'sts', name: 'AssumeRole', input }, { keys: from, context })
}

/** Assumes a role with a token from an identity provider. The token's file is read in each call, because the token rotates. */
export async function assumeRoleWithWebIdentity(
  source: SourceOf<'web-identity'>,
  context: AwsContext,
): Promise<AwsCredentials> {
  const { deadline } = context.call
  const token = await deadline.during('file', `reading ${source.tokenFile}`, () => readIfPresent(source.tokenFile))
  if (token === undefined || token.trim() === '')
    throw new HelperError(
      'not-configured',
      `the identity token file ${source.tokenFile} of ${describeOwner(source)} ${token === undefined ? 'does not exist' : 'is empty'}`,
      'find out why nothing has written that file, or correct web_identity_token_file',
    )
  const input = {
    RoleArn: source.roleArn,
    RoleSessionName: source.sessionName ?? createSessionName(context),
    WebIdentityToken: token.trim(),
  }
  return send(source, { api: 'sts', name: 'AssumeRoleWithWebIdentity', input }, { keys: undefined, context })
}

type RoleSource = SourceOf<'role' | 'web-identity'>

async function send(
  source: RoleSource,
  operation: AwsOperation,
  { keys, context }: { readonly keys: AwsCredentials | undefined; readonly context: AwsContext },
): Promise<AwsCredentials> {
  const { plan } = context
  const service = describeApi('sts', source)
  try {
    const answer = await sendOperation(operation, keys, { ...context, plan: { ...plan, region: source.region } })
    refuseForeignText(answer.text, operation.name, service)
    return parseAnswer(source, answer)
  } catch (error) {
    throw toFailure(error, {
      service,
      refusal: `AWS STS refused the role ${source.roleArn} of ${describeOwner(source)}`,
      hint: describeTrust(source),
      proof: {
        name: source.kind === 'role' ? 'the credentials used to assume it' : 'the identity token',
        renewalHint: plan.describeRenewal(),
      },
    })
  }
}

function parseAnswer({ roleArn }: RoleSource, { text, clockOffsetMs }: AwsAnswer): AwsCredentials {
  const find = (name: string) => findElement(text, name)
  const [accessKeyId, secret, session] = [find('AccessKeyId'), find('SecretAccessKey'), find('SessionToken')]
  const expiration = new Date(find('Expiration') ?? '')
  if (!accessKeyId || !secret || !session || Number.isNaN(expiration.getTime()))
    throw new HelperError('refused', 'AWS STS answered without credentials', interceptionHint)
  return {
    accessKeyId,
    secretAccessKey: new Secret(secret),
    sessionToken: new Secret(session),
    expiration,
    account: roleArn.split(':')[4],
    role: roleArn.split('/').at(-1),
    arn: find('Arn'),
    clockOffsetMs,
  }
}

function describeOwner({ profile }: RoleSource): string {
  return profile === undefined ? 'the environment' : `profile "${profile}"`
}

function describeTrust(source: RoleSource): string {
  const trust = `have the trust policy of ${source.roleArn}`
  return source.kind === 'role'
    ? `${trust} and the policies of this identity allow sts:AssumeRole, or correct role_arn`
    : `${trust} allow this identity token's issuer, subject and audience`
}

/** Creates a session name that differs in each call, so that CloudTrail shows which call made a request. */
function createSessionName({ host }: AwsContext): string {
  return `gatepass-${host.clock.now()}`
}
