import { HelperError } from '../../../runtime/failure.ts'
import type { CredentialSource } from './credential-source.ts'
import { quoteWord, toTerminalHint } from './hints.ts'
import {
  type Configuration,
  hasKeys,
  planCredentialSource,
  planSso,
  planWebIdentity,
  resolveRoleRegion,
  toConfigurationError,
  toKeySource,
} from './plan-section.ts'
import type { AwsFiles, Section } from './shared-files.ts'

/**
 * The source that a profile names, its whole chain of roles included; pure. The order of kinds within a section is the
 * SDK's: role, keys, web identity, process, SSO, console sign-in; only in a `source_profile` do keys come first.
 * @param via The profiles that led here by `source_profile`, the first one first.
 * @throws {HelperError} for everything that a section lacks or contradicts, or that it names and that does not exist.
 */
export function planProfile(
  profile: string,
  configuration: Configuration,
  via: readonly string[] = [],
): CredentialSource {
  const section = requireSection(profile, configuration.files, via)
  refuseCircle(profile, section, configuration, via)
  if (via.length > 0 && hasKeys(section)) return toKeySource(profile, section)
  if (assumesRole(section)) return planRole(profile, section, configuration, via)
  if (hasKeys(section)) return toKeySource(profile, section)
  if (section.web_identity_token_file) return planWebIdentity(profile, section, configuration)
  if (section.credential_process)
    return { kind: 'process', profile, command: section.credential_process, account: section.aws_account_id }
  if (Object.keys(section).some((key) => key.startsWith('sso_'))) return planSso(profile, section, configuration)
  if (section.login_session)
    return { kind: 'login', profile, session: section.login_session, region: section.region ?? configuration.region }
  if (section.credential_source) return planCredentialSource(profile, section, configuration)
  throw toConfigurationError(configuration, profile, `profile "${profile}" ${describeIncomplete(section)}`)
}

/** A profile may name itself, for its own keys; of a longer circle, keys on the way do not say which profile was meant. */
function refuseCircle(profile: string, section: Section, configuration: Configuration, via: readonly string[]): void {
  const isOwnSource = via.at(-1) === profile && hasKeys(section)
  if (!via.includes(profile) || isOwnSource) return
  throw toConfigurationError(
    configuration,
    via.at(-1)!,
    `profiles refer to each other in a circle: ${[...via, profile].join(' → ')}`,
  )
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
      `profile "${profile}" needs a code from the MFA device ${mfa_serial}, which this program never asks for`,
      `use a profile that needs no code, such as one made with: aws configure sso`,
    )
  if (source_profile && credential_source)
    throw toConfigurationError(
      configuration,
      profile,
      `profile "${profile}" has both source_profile and credential_source`,
    )
  const durationSec = Number(duration_seconds ?? 3600)
  if (!Number.isInteger(durationSec))
    throw toConfigurationError(configuration, profile, `profile "${profile}": duration_seconds is not a whole number`)
  return {
    kind: 'role',
    profile,
    roleArn,
    region: resolveRoleRegion(profile, section, configuration),
    sessionName: section.role_session_name,
    externalId: section.external_id,
    durationSec,
    from: planRoleSource(profile, section, configuration, via),
  }
}

function planRoleSource(
  profile: string,
  section: Section,
  configuration: Configuration,
  via: readonly string[],
): CredentialSource {
  if (section.source_profile) return planProfile(section.source_profile, configuration, [...via, profile])
  if (section.credential_source) return planCredentialSource(profile, section, configuration)
  throw toConfigurationError(
    configuration,
    profile,
    `profile "${profile}" has role_arn but neither source_profile, credential_source nor web_identity_token_file`,
  )
}

function requireSection(profile: string, files: AwsFiles, via: readonly string[]): Section {
  const section = Object.hasOwn(files.profiles, profile) ? files.profiles[profile] : undefined
  if (section) return section
  const paths = [files.configPath, files.credentialsPath].map((path) =>
    files.missing.includes(path) ? `${path} (which does not exist)` : path,
  )
  const from = via.length > 0 ? `, the source_profile of "${via.at(-1)}",` : ''
  throw new HelperError(
    'not-configured',
    `profile "${profile}"${from} is neither in ${paths.join(' nor in ')}`,
    toTerminalHint(
      `list the profiles with: aws configure list-profiles; or create it with: aws configure sso --profile ${quoteWord(profile)}`,
      files,
    ),
  )
}

function assumesRole({ role_arn, source_profile, credential_source, web_identity_token_file }: Section): boolean {
  return Boolean(role_arn && (source_profile || credential_source || !web_identity_token_file))
}

function describeIncomplete(section: Section): string {
  const keys = ['aws_access_key_id', 'aws_secret_access_key'] as const
  const present = keys.find((key) => section[key])
  if (present === undefined) return 'says nothing about where credentials come from'
  return `has ${present} but no ${keys.find((key) => key !== present)}`
}
