import { isSecureAddress } from '../../../runtime/network/addresses.ts'
import { isRegionName } from '../endpoint-settings.ts'
import { findSection, type Section } from './aws-files.ts'
import {
  describeOrigin,
  describeSection,
  type ReadFiles,
  type SectionName,
  toConfigurationError,
} from './locate-setting.ts'

/** The limits of a role session's life, in seconds. AWS STS API, `AssumeRole`, `DurationSeconds`. */
export const roleDurationSec = { shortest: 900, longest: 43_200 } as const

/**
 * Requires the settings of a profile's role, within the limits of `AssumeRole`.
 * @throws {HelperError} `not-configured` for a setting that AWS would always refuse, naming the line.
 */
export function requireRoleSettings(profile: string, section: Section, files: ReadFiles): RoleSettings {
  const { role_arn: roleArn = '', source_profile, credential_source, duration_seconds } = section
  const own: SectionName = { kind: 'profile', name: profile }
  const toError = (what: string, key: string) =>
    toConfigurationError(files, `profile "${profile}"${what}`, { section: own, key })
  if (source_profile && credential_source)
    throw toError(' has both source_profile and credential_source', 'credential_source')
  if (!source_profile && !credential_source)
    throw toError(' has role_arn but neither source_profile, credential_source nor web_identity_token_file', 'role_arn')
  if (!/^arn:[^:]+:iam::[^:]*:role\/./.test(roleArn)) throw toError(': role_arn is not the ARN of a role', 'role_arn')
  const durationSec = Number(duration_seconds ?? 3600)
  const { shortest, longest } = roleDurationSec
  if (!Number.isInteger(durationSec) || durationSec < shortest || durationSec > longest)
    throw toError(`: duration_seconds is not a whole number from ${shortest} to ${longest}`, 'duration_seconds')
  return { roleArn, sessionName: section.role_session_name, externalId: section.external_id, durationSec }
}

/** How a profile wants its role to be assumed. */
interface RoleSettings {
  readonly roleArn: string
  readonly sessionName: string | undefined
  readonly externalId: string | undefined
  readonly durationSec: number
}

interface SsoFiles extends ReadFiles {
  readonly ssoSessions: Readonly<Record<string, Section>>
}

/** The settings of an SSO profile, its own and those of its session. */
interface SsoSettings {
  /** See `SsoSession`, also for the scopes. */
  readonly session: string | undefined
  readonly startUrl: string
  readonly region: string
  readonly scopes: readonly string[] | undefined
  readonly account: string
  readonly role: string
}

/**
 * Requires the SSO settings of a profile.
 * @throws {HelperError} `not-configured` for what is missing, unusable or contradictory, naming the line.
 */
export function requireSsoSettings(profile: string, section: Section, files: SsoFiles): SsoSettings {
  const { sso_session: session, sso_account_id: account, sso_role_name: role } = section
  const own: SectionName = { kind: 'profile', name: profile }
  const holder: SectionName = session === undefined ? own : { kind: 'sso-session', name: session }
  const shared = session === undefined ? section : requireSession(session, own, files)
  if (shared !== section) refuseConflict([own, section], [holder, shared], files)
  const { sso_start_url: startUrl, sso_region: region } = shared
  const ofHolder = { sso_start_url: startUrl, sso_region: region }
  const ofProfile = { sso_account_id: account, sso_role_name: role }
  if (!startUrl || !region || !account || !role)
    throw shared === section
      ? toIncomplete(own, { ...ofHolder, ...ofProfile }, files)
      : (toIncomplete(holder, ofHolder, files) ?? toIncomplete(own, ofProfile, files))
  refuseUnusable(holder, { startUrl, region }, files)
  return { session, startUrl, region, scopes: findScopes(session, shared), account, role }
}

function requireSession(session: string, own: SectionName, files: SsoFiles): Section {
  const section = findSection(files.ssoSessions, session)
  if (section) return section
  const message = `profile "${own.name}" names sso_session "${session}", which has no [sso-session ${session}]`
  throw toConfigurationError(files, message, { section: own, key: 'sso_session' })
}

/** Refuses a setting that differs between profile and session, as the AWS tools do. */
function refuseConflict(
  [own, section]: [SectionName, Section],
  [holder, shared]: [SectionName, Section],
  files: SsoFiles,
): void {
  const key = Object.keys(shared).find((name) => section[name] && section[name] !== shared[name])
  if (key === undefined) return
  const message = `${describeSection(own)} has another ${key} than its ${describeSection(holder)}${describeOrigin(files, holder, key)}`
  throw toConfigurationError(files, message, { section: own, key })
}

function toIncomplete(section: SectionName, settings: Section, files: SsoFiles) {
  const lacking = Object.keys(settings).filter((key) => !settings[key])
  if (lacking.length === 0) return undefined
  return toConfigurationError(files, `${describeSection(section)} lacks ${lacking.join(', ')}`, { section })
}

/** Refuses an unusable start URL or region. Both become parts of addresses to which secrets are sent. */
function refuseUnusable(section: SectionName, values: { startUrl: string; region: string }, files: SsoFiles): void {
  const toError = (key: string, what: string) =>
    toConfigurationError(files, `${key} of ${describeSection(section)} is ${what}`, { section, key })
  if (!isSecureAddress(values.startUrl)) throw toError('sso_start_url', 'not an https address')
  if (!isRegionName(values.region)) throw toError('sso_region', 'not the name of a region')
}

/** Finds the scopes of a session. As in the AWS CLI, only an `sso-session` section has scopes. */
function findScopes(session: string | undefined, { sso_registration_scopes: text }: Section): string[] | undefined {
  if (session === undefined || text === undefined) return undefined
  return text
    .split(',')
    .map((scope) => scope.trim())
    .filter(Boolean)
}
