import { quoteForAnyShell } from '../../../runtime/text/quote.ts'
import type { AwsFiles } from '../files/aws-files.ts'
import type { AwsCredentialSource } from './credential-source.ts'

/**
 * The hint for credentials that have expired. In a chain of roles, the innermost credentials have to be renewed.
 */
export function describeRenewal(source: AwsCredentialSource, files: AwsFiles): string {
  switch (source.kind) {
    case 'keys':
      return `put current keys into profile "${source.profile}" of ${describePaths(source.profile, files)}`
    case 'environment':
      return 'set current AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN where the client starts'
    case 'role':
      return describeRenewal(source.from, files)
    case 'web-identity':
      return `find out why the program that writes ${source.tokenFile} does not renew it`
    case 'process':
      return toTerminalHint(
        `see what it prints with: aws configure export-credentials --profile ${quoteForAnyShell(source.profile)}`,
        files,
      )
    case 'sso':
      return source.session === undefined
        ? toTerminalHint(`run: aws sso login --profile ${quoteForAnyShell(source.profile)}`, files)
        : toTerminalHint(`run: aws sso login --sso-session ${quoteForAnyShell(source.session)}`, files)
    case 'login':
      return toTerminalHint(`run: aws login --profile ${quoteForAnyShell(source.profile)}`, files)
    case 'container':
      return 'check the role of the task or pod'
    case 'instance':
      return 'check that this machine has an instance profile, or name a profile with --profile or AWS_PROFILE'
    case 'sdk':
      if (source.own) return describeRenewal(source.own, files)
      return source.profile === undefined
        ? 'name a profile with --profile or AWS_PROFILE'
        : `correct profile "${source.profile}" in ${describePaths(source.profile, files)}, or sign in with the tool that it is for`
  }
}

/** A hint with a command of the AWS CLI, which in a person's terminal may read another configuration file than the client's. */
export function toTerminalHint(hint: string, { configPath, isCustomPath }: AwsFiles): string {
  return isCustomPath ? `with AWS_CONFIG_FILE set to ${configPath}, ${hint}` : hint
}

/** The files in which a profile has a section, for a hint; the configuration file if it has none. */
export function describePaths(profile: string, { profilePaths, configPath }: AwsFiles): string {
  return (profilePaths[profile] ?? [configPath]).join(' or ')
}
