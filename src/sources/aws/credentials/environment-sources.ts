import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { CredentialSource, SourceOf } from './credential-source.ts'
import type { Section } from './shared-files.ts'

/** The keys in the environment; `undefined` unless both the id and the secret are set. */
export function findEnvironmentKeys(env: Environment): SourceOf<'environment'> | undefined {
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

/** Tools that issue temporary keys set this variable; without it a token could claim to outlive its keys. */
function parseExpiration(text: string | undefined): Date | undefined {
  if (!text) return undefined
  const date = new Date(text)
  if (!Number.isNaN(date.getTime())) return date
  throw new HelperError(
    'not-configured',
    'AWS_CREDENTIAL_EXPIRATION is not a date',
    'set it as the tool that made the keys says, such as 2026-01-31T12:00:00Z, or unset it',
  )
}

/** The role that the environment lets this process assume with an identity token, as in a Kubernetes pod. */
export function findEnvironmentWebIdentity(env: Environment, region: string): SourceOf<'web-identity'> | undefined {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: roleArn } = env
  if (!tokenFile || !roleArn) return undefined
  return { kind: 'web-identity', roleArn, region, tokenFile, sessionName: env.AWS_ROLE_SESSION_NAME || undefined }
}

/** The credentials endpoint that a container's environment names. */
export function findContainerSource(env: Environment, profile?: string): SourceOf<'container'> | undefined {
  const relative = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI
  const endpoint = relative ? `http://169.254.170.2${relative}` : env.AWS_CONTAINER_CREDENTIALS_FULL_URI
  return endpoint ? { kind: 'container', profile, endpoint } : undefined
}

/** The source that a profile's `credential_source` names; `undefined` where this machine does not have it. */
export function findNamedSource(
  name: string,
  env: Environment,
  { profile, section }: { profile: string; section: Section },
): CredentialSource | undefined | 'unknown' {
  switch (name) {
    case 'Environment':
      return findEnvironmentKeys(env)
    case 'EcsContainer':
      return findContainerSource(env, profile)
    case 'Ec2InstanceMetadata':
      return toInstanceSource(env, section, profile)
    default:
      return 'unknown'
  }
}

/** The instance metadata service, at the endpoint that the environment or the profile names, or at its usual address. */
export function toInstanceSource(env: Environment, section: Section = {}, profile?: string): SourceOf<'instance'> {
  const named = env.AWS_EC2_METADATA_SERVICE_ENDPOINT || section.ec2_metadata_service_endpoint
  const mode = env.AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE || section.ec2_metadata_service_endpoint_mode
  const usual = mode?.toLowerCase() === 'ipv6' ? 'http://[fd00:ec2::254]' : 'http://169.254.169.254'
  return { kind: 'instance', profile, endpoint: named || usual }
}
