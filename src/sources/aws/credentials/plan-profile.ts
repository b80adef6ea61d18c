import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { CredentialSource, SourceOf } from './credential-source.ts'
import { metadataSource } from './plan-environment.ts'
import { inTerminal, placesOf, quoteWord } from './renewal.ts'
import type { AwsFiles, Section } from './shared-files.ts'

/** What a chain of profiles is read from. `region` serves profiles without their own. */
export interface Configuration {
  readonly files: AwsFiles
  readonly env: Environment
  readonly region: string
}

/**
 * The source that a profile names, its whole chain of roles included; pure. The order of kinds within a section is the
 * SDK's: role, keys, web identity, process, SSO, console sign-in; only as a `source_profile` do keys come first.
 * @throws {HelperError} for everything that a section lacks, contradicts or points to in vain.
 */
export function planProfile(
  profile: string,
  configuration: Configuration,
  via: readonly string[] = [],
): CredentialSource {
  const section = requireSection(profile, configuration.files, via)
  if (via.length > 0 && hasKeys(section)) return keysOf(profile, section)
  if (via.includes(profile))
    throw broken(
      configuration,
      via.at(-1)!,
      `profiles refer to each other in a circle: ${[...via, profile].join(' → ')}`,
    )
  if (assumesRole(section)) return planRole(profile, section, configuration, via)
  if (hasKeys(section)) return keysOf(profile, section)
  if (section.web_identity_token_file) return planWebIdentity(profile, section, configuration)
  if (section.credential_process)
    return { kind: 'process', profile, command: section.credential_process, account: section.aws_account_id }
  if (Object.keys(section).some((key) => key.startsWith('sso_'))) return planSso(profile, section, configuration)
  if (section.login_session)
    return { kind: 'login', profile, session: section.login_session, region: section.region ?? configuration.region }
  if (section.credential_source) return planCredentialSource(profile, section.credential_source, configuration)
  throw findIncomplete(profile, section, configuration)
}

function planRole(
  profile: string,
  section: Section,
  configuration: Configuration,
  via: readonly string[],
): CredentialSource {
  const { role_arn: roleArn = '', source_profile, credential_source, mfa_serial, duration_seconds } = section
  if (mfa_serial)
    throw new HelperError(
      'sign-in-required',
      `profile "${profile}" needs a code from the MFA device ${mfa_serial}, and nobody is asked for one`,
      `use a profile that needs no code, such as one made with: aws configure sso`,
    )
  if (source_profile && credential_source)
    throw broken(configuration, profile, `profile "${profile}" has both source_profile and credential_source`)
  const durationSec = Number(duration_seconds ?? 3600)
  if (!Number.isInteger(durationSec))
    throw broken(configuration, profile, `profile "${profile}": duration_seconds is not a whole number`)
  return {
    kind: 'role',
    profile,
    roleArn,
    region: section.region ?? configuration.region,
    sessionName: section.role_session_name,
    externalId: section.external_id,
    durationSec,
    from: planRoleSource(profile, section, configuration, via),
  }
}

function planRoleSource(
  profile: string,
  { source_profile, credential_source }: Section,
  configuration: Configuration,
  via: readonly string[],
): CredentialSource {
  if (source_profile) return planProfile(source_profile, configuration, [...via, profile])
  if (credential_source) return planCredentialSource(profile, credential_source, configuration)
  throw broken(
    configuration,
    profile,
    `profile "${profile}" has role_arn but neither source_profile, credential_source nor web_identity_token_file`,
  )
}

function planCredentialSource(profile: string, from: string, configuration: Configuration): CredentialSource {
  const source = metadataSource(from, configuration.env, profile)
  if (source === 'unknown')
    throw broken(
      configuration,
      profile,
      `profile "${profile}": credential_source is none of Environment, EcsContainer, Ec2InstanceMetadata`,
    )
  if (source === undefined)
    throw new HelperError(
      'not-configured',
      `profile "${profile}" takes its credentials from ${from}, which is not there`,
      from === 'Environment'
        ? 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where the client starts, or choose another credential_source'
        : 'run this where AWS_CONTAINER_CREDENTIALS_FULL_URI is set, or choose another credential_source',
    )
  return source
}

function planWebIdentity(profile: string, section: Section, configuration: Configuration): SourceOf<'web-identity'> {
  const { role_arn: roleArn, web_identity_token_file: tokenFile = '' } = section
  if (!roleArn) throw broken(configuration, profile, `profile "${profile}" has web_identity_token_file but no role_arn`)
  const region = section.region ?? configuration.region
  return { kind: 'web-identity', profile, roleArn, region, tokenFile, sessionName: section.role_session_name }
}

function planSso(profile: string, section: Section, configuration: Configuration): SourceOf<'sso'> {
  const session = section.sso_session
  const { ssoSessions } = configuration.files
  const shared =
    session === undefined ? section : Object.hasOwn(ssoSessions, session) ? ssoSessions[session] : undefined
  if (shared === undefined)
    throw broken(
      configuration,
      profile,
      `profile "${profile}" names sso_session "${session}", which has no [sso-session ${session}]`,
    )
  const { sso_start_url: startUrl, sso_region: region } = shared
  const { sso_account_id: account, sso_role_name: role } = section
  const settings = { sso_start_url: startUrl, sso_region: region, sso_account_id: account, sso_role_name: role }
  const missing = Object.entries(settings).filter(([, value]) => !value)
  if (!startUrl || !region || !account || !role)
    throw broken(configuration, profile, `profile "${profile}" lacks ${missing.map(([key]) => key).join(', ')}`)
  return { kind: 'sso', profile, session, startUrl, region, account, role }
}

function requireSection(profile: string, files: AwsFiles, via: readonly string[]): Section {
  const section = Object.hasOwn(files.profiles, profile) ? files.profiles[profile] : undefined
  if (section) return section
  const places = [files.configPath, files.credentialsPath].map((path) =>
    files.missing.includes(path) ? `${path} (which does not exist)` : path,
  )
  const from = via.length > 0 ? `, the source_profile of "${via.at(-1)}",` : ''
  throw new HelperError(
    'not-configured',
    `profile "${profile}"${from} is neither in ${places.join(' nor in ')}`,
    inTerminal(
      `see which there are with: aws configure list-profiles; or make it with: aws configure sso --profile ${quoteWord(profile)}`,
      files,
    ),
  )
}

function assumesRole({ role_arn, source_profile, credential_source, web_identity_token_file }: Section): boolean {
  return Boolean(role_arn && (source_profile || credential_source || !web_identity_token_file))
}

function hasKeys(section: Section): boolean {
  return Boolean(section.aws_access_key_id && section.aws_secret_access_key)
}

function keysOf(profile: string, section: Section): SourceOf<'keys'> {
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

function findIncomplete(profile: string, section: Section, configuration: Configuration): HelperError {
  const half = (['aws_access_key_id', 'aws_secret_access_key'] as const).filter((key) => section[key])
  const what =
    half.length === 1 ? `has ${half[0]} without its other half` : 'says nothing about where credentials come from'
  return broken(configuration, profile, `profile "${profile}" ${what}`)
}

function broken({ files }: Configuration, profile: string, message: string): HelperError {
  return new HelperError('not-configured', message, `correct it in ${placesOf(profile, files)}`)
}
