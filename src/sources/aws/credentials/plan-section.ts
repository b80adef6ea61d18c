import { cycleNotice, listAskedProfiles } from '../../../runtime/credential-process.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import { toConfigurationError } from '../files/configuration-error.ts'
import { isRegionName } from '../files/region-name.ts'
import type { Section } from '../files/to-sections.ts'
import type { CredentialSource, SourceOf } from './credential-source.ts'
import { findNamedSource } from './environment-sources.ts'
import type { AwsFiles } from './shared-files.ts'

/** What a chain of profiles is planned from. `region` is for profiles without a region of their own. */
export interface Configuration {
  readonly files: AwsFiles
  readonly env: Environment
  readonly region: string
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
  const { env, files, region: known } = configuration
  const variable = ['AWS_REGION', 'AWS_DEFAULT_REGION'].find((name) => env[name])
  const region = (variable && env[variable]) || section.region || known
  // Without any region the plan as a whole fails, with its own message.
  if (region === '' || isRegionName(region)) return region
  const message = `the region in which profile "${profile}" assumes its role is not the name of a region`
  if (variable === undefined && section.region)
    throw toConfigurationError(files, message, { section: { kind: 'profile', name: profile }, key: 'region' })
  throw new HelperError('not-configured', message, `set ${variable ?? '--region'} to a region such as eu-central-1`)
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
      configuration.files,
      `profile "${profile}": credential_source is none of Environment, EcsContainer, Ec2InstanceMetadata`,
      { section: { kind: 'profile', name: profile }, key: 'credential_source' },
    )
  if (source === undefined)
    throw new HelperError(
      'not-configured',
      `profile "${profile}" takes its credentials from ${name}, which is not there`,
      /^environment$/i.test(name)
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
      configuration.files,
      `profile "${profile}" has web_identity_token_file but no role_arn`,
      {
        section: { kind: 'profile', name: profile },
        key: 'web_identity_token_file',
      },
    )
  const region = resolveRoleRegion(profile, section, configuration)
  return { kind: 'web-identity', profile, roleArn, region, tokenFile, sessionName: section.role_session_name }
}

/** A program of a section. @throws {HelperError} where that program is what runs us, which would start itself again. */
export function planProcess(profile: string, section: Section, { env }: Configuration): SourceOf<'process'> {
  const { credential_process: command = '', aws_account_id: account } = section
  if (!listAskedProfiles(env).includes(profile)) return { kind: 'process', profile, command, account }
  throw new HelperError(
    'not-configured',
    `the credential_process of profile "${profile}" ${cycleNotice}`,
    `name another profile there, with --profile, than "${profile}", which it is for`,
  )
}

/** A console sign-in, which is renewed in the profile's region. @throws {HelperError} for a region that can be none. */
export function planLogin(
  profile: string,
  session: string,
  section: Section,
  configuration: Configuration,
): SourceOf<'login'> {
  const region = section.region ?? configuration.region
  if (section.region && !isRegionName(region))
    throw toConfigurationError(configuration.files, `the region of profile "${profile}" is not the name of a region`, {
      section: { kind: 'profile', name: profile },
      key: 'region',
    })
  return { kind: 'login', profile, session, region }
}
