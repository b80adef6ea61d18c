import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { CredentialSource, SourceOf } from './credential-source.ts'

/** The keys in the environment; `undefined` unless both halves are there. */
export function environmentKeys(env: Environment): SourceOf<'environment'> | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!accessKeyId || !secretAccessKey) return undefined
  return {
    kind: 'environment',
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: env.AWS_SESSION_TOKEN ? new Secret(env.AWS_SESSION_TOKEN) : undefined,
    account: env.AWS_ACCOUNT_ID || undefined,
    expiration: parseExpiration(env.AWS_CREDENTIAL_EXPIRATION),
  }
}

/** Set by tools that hand out temporary keys, so that a token does not claim to outlive them. */
function parseExpiration(text: string | undefined): Date | undefined {
  if (!text) return undefined
  const date = new Date(text)
  if (!Number.isNaN(date.getTime())) return date
  throw new HelperError(
    'not-configured',
    'AWS_CREDENTIAL_EXPIRATION is no date',
    'set it as the tool that made the keys says, such as 2026-01-31T12:00:00Z, or unset it',
  )
}

/** A role that the environment lets this process assume with an identity token, as in a Kubernetes pod. */
export function environmentWebIdentity(env: Environment, region: string): SourceOf<'web-identity'> | undefined {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: roleArn } = env
  if (!tokenFile || !roleArn) return undefined
  return { kind: 'web-identity', roleArn, region, tokenFile, sessionName: env.AWS_ROLE_SESSION_NAME || undefined }
}

/** The credentials that a container's environment points to. */
export function containerSource(env: Environment, profile?: string): SourceOf<'container'> | undefined {
  const relative = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI
  const endpoint = relative ? `http://169.254.170.2${relative}` : env.AWS_CONTAINER_CREDENTIALS_FULL_URI
  return endpoint ? { kind: 'container', profile, endpoint } : undefined
}

/** What a profile's `credential_source` stands for; `undefined` where this machine does not have it. */
export function metadataSource(
  name: string,
  env: Environment,
  profile: string,
): CredentialSource | undefined | 'unknown' {
  switch (name) {
    case 'Environment':
      return environmentKeys(env)
    case 'EcsContainer':
      return containerSource(env, profile)
    case 'Ec2InstanceMetadata':
      return instanceSource(env, profile)
    default:
      return 'unknown'
  }
}

/** The credentials of the machine itself. */
export function instanceSource(env: Environment, profile?: string): SourceOf<'instance'> {
  return { kind: 'instance', profile, endpoint: env.AWS_EC2_METADATA_SERVICE_ENDPOINT || undefined }
}
