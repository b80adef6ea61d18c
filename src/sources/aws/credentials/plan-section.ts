import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { CredentialSource, SourceOf } from './credential-source.ts'
import { findNamedSource } from './environment-sources.ts'
import { describePaths } from './hints.ts'
import type { AwsFiles, Section } from './shared-files.ts'

/** What a chain of profiles is planned from. `region` is for profiles without a region of their own. */
export interface Configuration {
  readonly files: AwsFiles
  readonly env: Environment
  readonly region: string
}

/** Whether a text can be the name of a region, which becomes a part of host names. */
export function isRegionName(text: string): boolean {
  return /^[a-z0-9-]{1,63}$/.test(text)
}

/** Whether a section has both the id and the secret of an access key. */
export function hasKeys(section: Section): boolean {
  return Boolean(section.aws_access_key_id && section.aws_secret_access_key)
}

/** The access key of a section for which {@link hasKeys} is true. */
export function toKeySource(profile: string, section: Section): SourceOf<'keys'> {
  const { aws_access_key_id = '', aws_secret_access_key = '', aws_session_token, aws_account_id } = section
  return {
    kind: 'keys',
    profile,
    accessKeyId: aws_access_key_id,
    secretAccessKey: new Secret(aws_secret_access_key),
    sessionToken: aws_session_token ? new Secret(aws_session_token) : undefined,
    account: aws_account_id,
  }
}

/**
 * The region in which AWS STS is asked for a role: that of the environment, else the profile's own, as in the AWS tools.
 * @throws {HelperError} for a profile's text that is not the name of a region.
 */
export function resolveRoleRegion(profile: string, section: Section, configuration: Configuration): string {
  const { env, region: known } = configuration
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || section.region || known
  // Without any region the plan as a whole fails, with its own message.
  if (region === '' || isRegionName(region)) return region
  throw toConfigurationError(
    configuration,
    profile,
    `the region in which profile "${profile}" assumes its role is not the name of a region`,
  )
}

/** The source that `credential_source` names. @throws {HelperError} for one that is unknown or not on this machine. */
export function planCredentialSource(
  profile: string,
  section: Section,
  configuration: Configuration,
): CredentialSource {
  const { credential_source: name = '' } = section
  const source = findNamedSource(name, configuration.env, { profile, section })
  if (source === 'unknown')
    throw toConfigurationError(
      configuration,
      profile,
      `profile "${profile}": credential_source is none of Environment, EcsContainer, Ec2InstanceMetadata`,
    )
  if (source === undefined)
    throw new HelperError(
      'not-configured',
      `profile "${profile}" takes its credentials from ${name}, which is not there`,
      name === 'Environment'
        ? 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where the client starts, or choose another credential_source'
        : 'run this where AWS_CONTAINER_CREDENTIALS_FULL_URI is set, or choose another credential_source',
    )
  return source
}

/** The role that a section assumes with an identity token. @throws {HelperError} where no role is named. */
export function planWebIdentity(
  profile: string,
  section: Section,
  configuration: Configuration,
): SourceOf<'web-identity'> {
  const { role_arn: roleArn, web_identity_token_file: tokenFile = '' } = section
  if (!roleArn)
    throw toConfigurationError(
      configuration,
      profile,
      `profile "${profile}" has web_identity_token_file but no role_arn`,
    )
  const region = resolveRoleRegion(profile, section, configuration)
  return { kind: 'web-identity', profile, roleArn, region, tokenFile, sessionName: section.role_session_name }
}

/** The SSO role of a section, with its session. @throws {HelperError} for settings that are missing. */
export function planSso(profile: string, section: Section, configuration: Configuration): SourceOf<'sso'> {
  const session = section.sso_session
  const { ssoSessions } = configuration.files
  const shared =
    session === undefined ? section : Object.hasOwn(ssoSessions, session) ? ssoSessions[session] : undefined
  if (shared === undefined)
    throw toConfigurationError(
      configuration,
      profile,
      `profile "${profile}" names sso_session "${session}", which has no [sso-session ${session}]`,
    )
  const { sso_start_url: startUrl, sso_region: region } = shared
  const { sso_account_id: account, sso_role_name: role } = section
  const settings = { sso_start_url: startUrl, sso_region: region, sso_account_id: account, sso_role_name: role }
  const missing = Object.entries(settings).filter(([, value]) => !value)
  if (!startUrl || !region || !account || !role)
    throw toConfigurationError(
      configuration,
      profile,
      `profile "${profile}" lacks ${missing.map(([key]) => key).join(', ')}`,
    )
  return { kind: 'sso', profile, session, startUrl, region, account, role }
}

/** A failure that is fixed in the files in which the profile has a section. */
export function toConfigurationError({ files }: Configuration, profile: string, message: string): HelperError {
  return new HelperError('not-configured', message, `correct it in ${describePaths(profile, files)}`)
}
