import { isRoleSession, parseAccountId, renderUserId } from './aws-identities.ts'
import {
  type AwsOperation,
  type AwsOperationName,
  AwsRefusal,
  type AwsRequest,
  type AwsWorld,
} from './aws-operation.ts'
import { createOutboundIdentity, type OutboundIdentity, webIdentityParameters } from './outbound-identity.ts'
import { authenticate } from './sts-authentication.ts'
import { assumeRole, findTrustingRole, validationError } from './sts-roles.ts'
import { createWebIdentity, type IdentityProvider } from './web-identity.ts'

/** Creates STS in its query protocol. A parameter that it does not know leaves the request unscripted. */
export function createSts(world: AwsWorld): {
  operations: AwsOperation[]
  addIdentityProvider(provider: IdentityProvider): void
  outboundIdentity: OutboundIdentity
} {
  const webIdentity = createWebIdentity(world)
  const outboundIdentity = createOutboundIdentity(world)
  return {
    outboundIdentity,
    addIdentityProvider: webIdentity.addProvider,
    operations: [
      defineStsOperation('GetCallerIdentity', [], (request) => {
        const { arn } = authenticate(request, world)
        return { Arn: arn, UserId: renderUserId(arn), Account: parseAccountId(arn) }
      }),
      defineStsOperation('AssumeRole', [...roleParameters, 'ExternalId'], (request, parameters) =>
        answerAssumeRole(world, authenticate(request, world).arn, parameters),
      ),
      defineStsOperation('AssumeRoleWithWebIdentity', [...roleParameters, 'WebIdentityToken'], (_, parameters) =>
        webIdentity.assumeRole(parameters),
      ),
      defineStsOperation('GetWebIdentityToken', webIdentityParameters, outboundIdentity.answer),
    ],
  }
}

const roleParameters = ['RoleArn', 'RoleSessionName', 'DurationSeconds']

function defineStsOperation(
  name: AwsOperationName,
  known: readonly string[],
  answer: AwsOperation['answer'],
): AwsOperation {
  return {
    name,
    protocol: 'query',
    accepts: (request) => {
      const { Action, Version, ...parameters } = readParameters(request)
      return (
        Action === name &&
        Version === '2011-06-15' &&
        Object.keys(parameters).every((key) => known.includes(key.replace(/\.\d+(?=\.|$)/g, '.N')))
      )
    },
    parameters: (request) => {
      const { Action: _, Version: __, ...parameters } = readParameters(request)
      return parameters
    },
    answer,
  }
}

/** Reads the form of a POST or the query of a presigned GET, without what belongs to the signature. */
function readParameters({ method, url, body }: AwsRequest): Record<string, string> {
  if (url.pathname !== '/') return {}
  const pairs = [...(method === 'POST' ? new URLSearchParams(body) : url.searchParams)]
  return Object.fromEntries(pairs.filter(([name]) => !name.startsWith('X-Amz-')))
}

function answerAssumeRole(world: AwsWorld, caller: string, parameters: Record<string, string>) {
  const { RoleArn = '', RoleSessionName = '', ExternalId, DurationSeconds = '3600' } = parameters
  const role = findTrustingRole(world, RoleArn, { kind: 'signer', arn: caller })
  if (!role || (role.externalId !== undefined && role.externalId !== ExternalId)) {
    const message = `User: ${caller} is not authorized to perform: sts:AssumeRole on resource: ${RoleArn}`
    throw new AwsRefusal('AccessDenied', 403, message)
  }
  if (isRoleSession(caller) && Number(DurationSeconds) > 3600) {
    throw validationError(
      'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining',
    )
  }
  return assumeRole(world, role, RoleSessionName, Number(DurationSeconds))
}
