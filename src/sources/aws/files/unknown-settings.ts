import { findSection, type Section } from './aws-files.ts'
import { describeOrigin, describeSection, type ReadFiles, type SectionName } from './locate-setting.ts'

/**
 * Finds the first setting that our own chain does not know and that may decide whose credentials are returned, in a profile, its
 * `source_profile`s and its SSO session; `undefined` if there is none. In a profile without a known source of credentials, every unknown
 * setting counts; in any other profile, only a setting whose name is like those of credentials.
 */
export function findUnknownSetting(
  profile: string,
  files: SettingFiles,
  via: readonly string[] = [],
): UnknownSetting | undefined {
  const section = findSection(files.profiles, profile)
  if (!section || via.includes(profile)) return undefined
  const own: SectionName = { kind: 'profile', name: profile }
  const key = findKey(section, Object.keys(section).some((name) => sourceSettings.has(name)) ? 'named alike' : 'any')
  if (key !== undefined) return toUnknown(key, own, files)
  const { sso_session: session = '', source_profile: next } = section
  const inSession = findKey(findSection(files.ssoSessions, session) ?? {}, 'named alike')
  if (inSession !== undefined) return toUnknown(inSession, { kind: 'sso-session', name: session }, files)
  return next === undefined ? undefined : findUnknownSetting(next, files, [...via, profile])
}

interface SettingFiles extends ReadFiles {
  readonly profiles: Readonly<Record<string, Section>>
  readonly ssoSessions: Readonly<Record<string, Section>>
}

/** An unknown setting, and its location for messages. */
interface UnknownSetting {
  readonly key: string
  readonly owner: SectionName
  /** `the setting "x" of profile "dev" (line 3 of …)`. */
  readonly words: string
}

/** Settings that name a source of credentials. A profile with one of them is of a kind that our own chain knows. */
const sourceSettings: ReadonlySet<string> = new Set(
  ['aws_access_key_id', 'aws_secret_access_key', 'role_arn', 'web_identity_token_file', 'credential_process'].concat(
    ['credential_source', 'sso_session', 'sso_account_id', 'sso_role_name', 'sso_start_url', 'sso_region'],
    ['login_session'],
  ),
)

function findKey(section: Section, which: 'any' | 'named alike'): string | undefined {
  const { credential_source: source } = section
  if (source !== undefined && !namedSources.includes(source.toLowerCase())) return 'credential_source'
  const isMeant = (key: string) => (which === 'any' ? !isForeign(key) : credentialPrefixes.test(key))
  return Object.keys(section).find((key) => !sourceSettings.has(key) && !otherSettings.has(key) && isMeant(key))
}

/** Names of credential sources that AWS documents, in lower case. */
const namedSources = ['environment', 'ecscontainer', 'ec2instancemetadata']

/** The beginnings of names of settings that concern credentials. Other settings, such as the AWS CLI's output, do not affect them. */
const credentialPrefixes =
  /^(aws_|role_|source_|credential_|web_identity_|sso_|login_|external_|duration_|mfa_|sts_|signin_)/

/** Further settings that our own chain reads, and settings of other tools, which do not affect credentials. */
const otherSettings: ReadonlySet<string> = new Set(
  ['aws_session_token', 'aws_account_id', 'source_profile', 'external_id', 'duration_seconds'].concat(
    ['role_session_name', 'mfa_serial', 'sso_registration_scopes', 'sts_regional_endpoints'],
    ['aws_security_token', 'aws_expiration', 'aws_session_expiration', 'aws_session_token_expiration'],
    ['sso_account_name', 'sso_auto_populated', 'sso_interactive_auth', 'credential_process_timeout'],
  ),
)

/** Returns whether a setting, or the one that it is nested in, never concerns credentials; docs/aws.md lists them. */
function isForeign(key: string): boolean {
  return key.includes('.') || /^(cli_|s3|x_|granted_)/.test(key) || foreignSettings.has(key)
}

const foreignSettings: ReadonlySet<string> = new Set(
  [
    'region output ca_bundle endpoint_url services ignore_configured_endpoint_urls use_fips_endpoint use_dualstack_endpoint',
    'ec2_metadata_service_endpoint ec2_metadata_service_endpoint_mode imds_use_ipv6 ec2_metadata_v1_disabled',
    'metadata_service_timeout metadata_service_num_attempts max_attempts retry_mode sdk_ua_app_id defaults_mode',
    'account_id_endpoint_mode auth_scheme_preference data_path disable_request_compression endpoint_discovery_enabled',
    'parameter_validation request_checksum_calculation request_min_compression_size_bytes response_checksum_validation',
    'sigv4a_signing_region_set tcp_keepalive',
  ].flatMap((line) => line.split(' ')),
)

function toUnknown(key: string, owner: SectionName, files: SettingFiles): UnknownSetting {
  const words = `the setting ${key} of ${describeSection(owner)}${describeOrigin(files, owner, key)}`
  return { key, owner, words }
}
