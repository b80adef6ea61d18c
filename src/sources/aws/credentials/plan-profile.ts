import { HelperError } from '../../../runtime/failure.ts'
import { toConfigurationError } from '../files/configuration-error.ts'
import type { SectionName } from '../files/locate-setting.ts'
import { requireRoleSettings } from '../files/role-settings.ts'
import { requireSsoSettings } from '../files/sso-settings.ts'
import type { Section } from '../files/to-sections.ts'
import type { CredentialSource } from './credential-source.ts'
import { quoteWord, toTerminalHint } from './hints.ts'
import {
  type Configuration,
  hasKeys,
  planCredentialSource,
  planLogin,
  planProcess,
  planWebIdentity,
  resolveRoleRegion,
  toKeySource,
} from './plan-section.ts'
import type { AwsFiles } from './shared-files.ts'

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
  if (via.length > 0 && findLoneKey(section)) throw toIncomplete(profile, section, configuration.files)
  if (assumesRole(section)) return planRole(profile, section, configuration, via)
  if (hasKeys(section)) return toKeySource(profile, section)
  if (section.web_identity_token_file) return planWebIdentity(profile, section, configuration)
  if (section.credential_process) return planProcess(profile, section, configuration)
  if (Object.keys(section).some((key) => key.startsWith('sso_')))
    return { kind: 'sso', profile, ...requireSsoSettings(profile, section, configuration.files) }
  if (section.login_session) return planLogin(profile, section.login_session, section, configuration)
  if (section.credential_source) return planCredentialSource(profile, section, configuration)
  throw toIncomplete(profile, section, configuration.files)
}

/** A profile may name itself, for its own keys; of a longer circle, keys on the way do not say which profile was meant. */
function refuseCircle(profile: string, section: Section, configuration: Configuration, via: readonly string[]): void {
  const isOwnSource = via.at(-1) === profile && hasKeys(section)
  if (!via.includes(profile) || isOwnSource) return
  throw toConfigurationError(
    configuration.files,
    `profiles refer to each other in a circle: ${[...via, profile].join(' → ')}`,
    { section: { kind: 'profile', name: via.at(-1)! }, key: 'source_profile' },
  )
}

function planRole(
  profile: string,
  section: Section,
  configuration: Configuration,
  via: readonly string[],
): CredentialSource {
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

function requireSection(profile: string, files: AwsFiles, via: readonly string[]): Section {
  const section = Object.hasOwn(files.profiles, profile) ? files.profiles[profile] : undefined
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
      `list the profiles with: aws configure list-profiles; or create it with: aws configure sso --profile ${quoteWord(profile)}`,
      files,
    ),
  )
}

/** In the configuration file the heading of a profile begins with the word; without it the AWS tools see no profile. */
function refuseBareHeading(profile: string, { configPath, lines: [config = []] }: AwsFiles): void {
  const found = config.find(({ content, heading }) => content === 'heading' && heading.trim() === profile)
  if (!found) return
  throw new HelperError(
    'not-configured',
    `line ${found.line} of ${configPath} begins [${profile}], which is no profile in that file`,
    `write [profile ${profile}] into line ${found.line} of ${configPath}`,
  )
}

function assumesRole({ role_arn, source_profile, credential_source, web_identity_token_file }: Section): boolean {
  return Boolean(role_arn && (source_profile || credential_source || !web_identity_token_file))
}

const halves = ['aws_access_key_id', 'aws_secret_access_key'] as const

/** The half of an access key that a section has without the other half. */
function findLoneKey(section: Section): (typeof halves)[number] | undefined {
  return hasKeys(section) ? undefined : halves.find((key) => section[key])
}

function toIncomplete(profile: string, section: Section, files: AwsFiles): HelperError {
  const key = findLoneKey(section)
  const other = halves.find((half) => half !== key)
  const what = key ? `has ${key} but no ${other}` : 'says nothing about where credentials come from'
  const place: SectionName = { kind: 'profile', name: profile }
  return toConfigurationError(files, `profile "${profile}" ${what}`, { section: place, ...(key && { key }) })
}
