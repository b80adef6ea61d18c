import { HelperError } from '../../../runtime/failure.ts'
import { createCycleFailure, listAskedProfiles } from '../../../runtime/program/credential-process-cycle.ts'
import { quoteForAnyShell } from '../../../runtime/text/quote.ts'
import { isRegionName } from '../endpoint-settings.ts'
import { type AwsFiles, findSection, type Section } from '../files/aws-files.ts'
import { type SectionName, toConfigurationError, toRegionError, toTerminalHint } from '../files/locate-setting.ts'
import { requireRoleSettings, requireSsoSettings } from '../files/profile-settings.ts'
import { regionVariables } from './aws-options.ts'
import {
  type AwsCredentialSource,
  type Configuration,
  findKeySource,
  isRoleAssumed,
  type SourceOf,
} from './credential-source.ts'
import { findNamedSource } from './environment-sources.ts'

/**
 * Plans the source of a profile, with its whole chain of roles; pure. The order of kinds within a section is the SDK's: role, keys, web
 * identity, process, SSO, console sign-in; only in a `source_profile` do keys come first.
 * @param via The profiles that led here by `source_profile`, the first one first.
 * @throws {HelperError} for a section that lacks something, contradicts itself, or names something that does not exist.
 */
export function planProfile(
  profile: string,
  configuration: Configuration,
  via: readonly string[] = [],
): AwsCredentialSource {
  const section = requireSection(profile, configuration.files, via)
  const keys = findKeySource(profile, section)
  if (via.includes(profile) && !(keys && via.at(-1) === profile)) throw toCircle(profile, configuration.files, via)
  if (via.length > 0 && keys) return keys
  if (via.length > 0 && findLoneKey(section)) throw toIncomplete(profile, section, configuration.files)
  if (isRoleAssumed(section)) return planRole(profile, section, configuration, via)
  if (keys) return keys
  if (section.web_identity_token_file) return planWebIdentity(profile, section, configuration)
  if (section.credential_process) return planProcess(profile, section, configuration)
  if (Object.keys(section).some((key) => key.startsWith('sso_')))
    return { kind: 'sso', profile, ...requireSsoSettings(profile, section, configuration.files) }
  if (section.login_session) return planLogin(profile, section.login_session, section, configuration)
  if (section.credential_source) return planCredentialSource(profile, section, configuration)
  throw toIncomplete(profile, section, configuration.files)
}

function requireSection(profile: string, files: AwsFiles, via: readonly string[]): Section {
  const section = findSection(files.profiles, profile)
  if (section) return section
  refuseBareHeading(profile, files)
  const paths = [files.configPath, files.credentialsPath].map((path) =>
    files.missing.includes(path) ? `${path} (which does not exist)` : path,
  )
  const from = via.length > 0 ? `, the source_profile of "${via.at(-1)}",` : ''
  throw new HelperError(
    'not-configured',
    `profile "${profile}"${from} is neither in ${paths.join(' nor in ')}`,
    toTerminalHint(
      `list the profiles with: aws configure list-profiles; or create it with: aws configure sso --profile ${quoteForAnyShell(profile)}`,
      files,
    ),
  )
}

/**
 * Creates the failure for profiles that name each other in a circle. A profile may name itself to use its own keys, but in a longer circle
 * it is not clear whose keys were meant.
 */
function toCircle(profile: string, files: AwsFiles, via: readonly string[]): HelperError {
  return toConfigurationError(files, `profiles refer to each other in a circle: ${[...via, profile].join(' → ')}`, {
    section: { kind: 'profile', name: via.at(-1)! },
    key: 'source_profile',
  })
}

/** Refuses a heading without the word `profile` in the configuration file, which the AWS tools ignore. */
function refuseBareHeading(profile: string, { configPath, lines: [config = []] }: AwsFiles): void {
  const found = config.find(({ content, heading }) => content === 'heading' && heading.trim() === profile)
  if (!found) return
  throw new HelperError(
    'not-configured',
    `line ${found.line} of ${configPath} begins [${profile}], which does not name a profile in that file`,
    `write [profile ${profile}] into line ${found.line} of ${configPath}`,
  )
}

const halves = ['aws_access_key_id', 'aws_secret_access_key'] as const

/** Finds a half of an access key in a section without a whole one. */
function findLoneKey(section: Section): (typeof halves)[number] | undefined {
  return halves.find((key) => section[key])
}

function toIncomplete(profile: string, section: Section, files: AwsFiles): HelperError {
  const key = findLoneKey(section)
  const other = halves.find((half) => half !== key)
  const what = key ? `has ${key} but no ${other}` : 'says nothing about where credentials come from'
  const name: SectionName = { kind: 'profile', name: profile }
  return toConfigurationError(files, `profile "${profile}" ${what}`, { section: name, ...(key && { key }) })
}

function planRole(
  profile: string,
  section: Section,
  configuration: Configuration,
  via: readonly string[],
): AwsCredentialSource {
  const { mfa_serial } = section
  if (mfa_serial)
    throw new HelperError(
      'sign-in-required',
      `profile "${profile}" needs a code from the MFA device ${mfa_serial}, which this program never asks for`,
      `use a profile that needs no code, such as one made with: aws configure sso`,
    )
  return {
    kind: 'role',
    profile,
    ...requireRoleSettings(profile, section, configuration.files),
    region: resolveRoleRegion(profile, section, configuration),
    from: section.source_profile
      ? planProfile(section.source_profile, configuration, [...via, profile])
      : planCredentialSource(profile, section, configuration),
  }
}

/**
 * Resolves the region in which AWS STS is asked for a role: that of {@link regionVariables}, else the profile's own, as in the AWS tools; else the region of the
 * whole plan.
 * @throws {HelperError} for a profile's text that is not the name of a region.
 */
function resolveRoleRegion(profile: string, section: Section, configuration: Configuration): string {
  const { env, files, region: known } = configuration
  const variable = regionVariables.find((name) => env[name])
  const region = (variable && env[variable]) || section.region || known
  // Without any region the whole plan fails, with its own message.
  if (region === '' || isRegionName(region)) return region
  const message = `the region in which profile "${profile}" assumes its role is not the name of a region`
  if (variable === undefined && section.region)
    throw toConfigurationError(files, message, { section: { kind: 'profile', name: profile }, key: 'region' })
  throw new HelperError('not-configured', message, `set ${variable ?? '--region'} to a region such as eu-central-1`)
}

/** Plans the source that `credential_source` names. @throws {HelperError} for one that is unknown or not on this machine. */
function planCredentialSource(profile: string, section: Section, configuration: Configuration): AwsCredentialSource {
  const { credential_source: name = '' } = section
  const source = findNamedSource(name, configuration.env, { profile, section })
  if (source === 'unknown')
    throw toConfigurationError(
      configuration.files,
      `profile "${profile}": credential_source is neither Environment, EcsContainer nor Ec2InstanceMetadata`,
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

/** Plans the role that a section assumes with an identity token. @throws {HelperError} if no role is named. */
function planWebIdentity(profile: string, section: Section, configuration: Configuration): SourceOf<'web-identity'> {
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

/** Plans a section's `credential_process`. @throws {HelperError} if that program runs this helper, because it would start itself again. */
function planProcess(profile: string, section: Section, { env }: Configuration): SourceOf<'process'> {
  const { credential_process: command = '', aws_account_id: account } = section
  if (!listAskedProfiles(env).includes(profile)) return { kind: 'process', profile, command, account }
  throw createCycleFailure(profile, `pass --profile with another profile than "${profile}" there`)
}

/** Plans a console sign-in, which is renewed in the profile's region. @throws {HelperError} for a text that is not the name of a region. */
function planLogin(
  profile: string,
  session: string,
  section: Section,
  configuration: Configuration,
): SourceOf<'login'> {
  const region = section.region ?? configuration.region
  if (section.region && !isRegionName(region)) throw toRegionError(configuration.files, profile)
  return { kind: 'login', profile, session, region }
}
