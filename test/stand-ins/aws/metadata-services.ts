import { randomUUID } from 'node:crypto'
import { renderSessionArn } from './aws-identities.ts'
import { type AwsOperation, AwsRefusal, type AwsRequest, type AwsWorld } from './aws-operation.ts'

export interface ContainerRole {
  arn: string
  /** Must come back in `Authorization`, if given. */
  authorizationToken?: string
}

/** Creates the container's and the instance's credentials: 404 until a role is added, as on a machine that has none. */
export function createMetadataServices(world: AwsWorld): {
  operations: AwsOperation[]
  setContainerRole(role: ContainerRole): void
  setInstanceRole(role: { arn: string }): void
} {
  let container: ContainerRole | undefined
  let instance: { arn: string } | undefined
  const instanceTokens = new Set<unknown>()

  /** Answers as version 2 of the instance's service: nothing without a token from its `PUT`. */
  const instanceRole = ({ headers }: AwsRequest): string => {
    if (!instance) throw notFound()
    if (!instanceTokens.has(headers['x-aws-ec2-metadata-token'])) {
      throw new AwsRefusal('Unauthorized', 401, 'no valid token')
    }
    return instance.arn
  }

  return {
    setContainerRole: (role) => {
      container = role
    },
    setInstanceRole: (role) => {
      instance = role
    },
    operations: [
      defineMetadataOperation('GetContainerCredentials', 'GET', containerPath, ({ headers }) => {
        if (!container) throw notFound()
        const { arn, authorizationToken } = container
        if (authorizationToken !== undefined && headers.authorization !== authorizationToken) {
          throw new AwsRefusal('AccessDenied', 401, 'the authorization token is missing or wrong')
        }
        return { RoleArn: arn, ...issueMetadataKey(world, arn) }
      }),
      defineMetadataOperation('PutMetadataToken', 'PUT', '/latest/api/token', ({ headers }) => {
        if (!instance) throw notFound()
        const ttlSec = Number(headers['x-aws-ec2-metadata-token-ttl-seconds'])
        if (!(ttlSec >= 1 && ttlSec <= 21_600))
          throw new AwsRefusal('BadRequest', 400, 'the time to live is missing or wrong')
        const token = randomUUID()
        instanceTokens.add(token)
        return token
      }),
      defineMetadataOperation('ListInstanceRoles', 'GET', instancePath, (request) => roleName(instanceRole(request))),
      {
        ...defineMetadataOperation('GetInstanceCredentials', 'GET', instancePath, (request, { role }) => {
          const arn = instanceRole(request)
          if (role !== roleName(arn)) throw notFound()
          return { Code: 'Success', Type: 'AWS-HMAC', LastUpdated: world.now(), ...issueMetadataKey(world, arn) }
        }),
        accepts: ({ method, url }) =>
          method === 'GET' && url.pathname.startsWith(instancePath) && url.pathname !== instancePath,
        parameters: ({ url }) => ({ role: url.pathname.slice(instancePath.length) }),
      },
    ],
  }
}

export const containerPath = '/container-credentials'
const instancePath = '/latest/meta-data/iam/security-credentials/'

/** Six hours, as both services issue. */
const lifeSec = 21_600

function defineMetadataOperation(
  name: AwsOperation['name'],
  method: string,
  path: string,
  answer: AwsOperation['answer'],
): AwsOperation {
  return {
    name,
    protocol: 'metadata',
    accepts: (request) => request.method === method && request.url.pathname === path,
    parameters: () => ({}),
    answer,
  }
}

function issueMetadataKey({ identities, now }: AwsWorld, roleArn: string) {
  const expiration = new Date(now().getTime() + lifeSec * 1000)
  const key = identities.issueKey(renderSessionArn(roleArn, 'i-0123456789abcdef0'), expiration)
  const { accessKeyId, secretAccessKey, sessionToken } = key
  return { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken, Expiration: expiration }
}

function roleName(arn: string): string {
  return arn.split('/').at(-1) ?? ''
}

function notFound(): AwsRefusal {
  return new AwsRefusal('NotFound', 404, 'nothing here')
}
