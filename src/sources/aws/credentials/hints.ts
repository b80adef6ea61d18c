import type { CredentialSource } from './credential-source.ts'
import type { AwsFiles } from './shared-files.ts'

/**
 * What a person does about credentials that have expired. Of a chain of roles, the innermost credentials are the ones to
 * renew.
 */
export function describeRenewal(source: CredentialSource, files: AwsFiles): string {
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
        `see what it prints with: aws configure export-credentials --profile ${quoteWord(source.profile)}`,
        files,
      )
    case 'sso':
      return source.session === undefined
        ? toTerminalHint(`run: aws sso login --profile ${quoteWord(source.profile)}`, files)
        : toTerminalHint(`run: aws sso login --sso-session ${quoteWord(source.session)}`, files)
    case 'login':
      return toTerminalHint(`run: aws login --profile ${quoteWord(source.profile)}`, files)
    case 'container':
      return 'check the role of the task or pod'
    case 'instance':
      return 'check that this machine has an instance profile, or name a profile with --profile or AWS_PROFILE'
  }
}

/** A hint with a command of the AWS CLI, which in a person's terminal may read another configuration file than the client's. */
export function toTerminalHint(hint: string, { configPath, isCustomPath }: AwsFiles): string {
  return isCustomPath ? `with AWS_CONFIG_FILE set to ${configPath}, ${hint}` : hint
}

/** The files in which a profile has a section, for a hint; the configuration file where it has none. */
export function describePaths(profile: string, { profilePaths, configPath }: AwsFiles): string {
  return (profilePaths[profile] ?? [configPath]).join(' or ')
}

/** A name as one word of a command, in the quotes that POSIX shells, cmd.exe and PowerShell share. */
export function quoteWord(name: string): string {
  return /^[\w@%+=:,./-]+$/.test(name) ? name : `"${name.replaceAll(/["$`\\]/g, '\\$&')}"`
}
