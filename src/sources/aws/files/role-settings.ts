import { toConfigurationError } from './configuration-error.ts'
import type { ReadFiles, SectionName } from './locate-setting.ts'

/** How a profile wants its role to be assumed. */
export interface RoleSettings {
  readonly roleArn: string
  readonly sessionName: string | undefined
  readonly externalId: string | undefined
  readonly durationSec: number
}

/**
 * The settings of a profile's role, by the limits of AssumeRole.
 * @throws {HelperError} `not-configured` for what AWS would refuse in any case, naming the line.
 */
export function requireRoleSettings(
  profile: string,
  section: Readonly<Record<string, string | undefined>>,
  files: ReadFiles,
): RoleSettings {
  const { role_arn: roleArn = '', source_profile, credential_source, duration_seconds } = section
  const own: SectionName = { kind: 'profile', name: profile }
  const refuse = (what: string, key: string) =>
    toConfigurationError(files, `profile "${profile}"${what}`, { section: own, key })
  if (source_profile && credential_source)
    throw refuse(' has both source_profile and credential_source', 'credential_source')
  if (!source_profile && !credential_source)
    throw refuse(' has role_arn but neither source_profile, credential_source nor web_identity_token_file', 'role_arn')
  if (!/^arn:[^:]+:iam::[^:]*:role\/./.test(roleArn)) throw refuse(': role_arn is not the ARN of a role', 'role_arn')
  const durationSec = Number(duration_seconds ?? 3600)
  if (!Number.isInteger(durationSec) || durationSec < 900 || durationSec > 43_200)
    throw refuse(': duration_seconds is not a whole number from 900 to 43200', 'duration_seconds')
  return { roleArn, sessionName: section.role_session_name, externalId: section.external_id, durationSec }
}
