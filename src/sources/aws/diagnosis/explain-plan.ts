import { describeStep, findProfile } from '../credentials/aws-source-kinds.ts'
import type { AwsCredentialSource, AwsPlan } from '../credentials/credential-source.ts'
import { type AwsFiles, findSection } from '../files/aws-files.ts'
import { locateSettings, type SectionName } from '../files/locate-setting.ts'

/** Explains the steps of a plan, each followed by the lines of the AWS files with its settings, without any value. */
export function explainAwsPlan(
  { source, files }: Pick<AwsPlan, 'source' | 'files'>,
  steps: readonly string[],
): string[] {
  const links = listChain(source).map((link, index, chain) => ({
    step: describeStep(link),
    settings: describeSettings(link, chain[index - 1], files),
  }))
  return steps.flatMap((step) => [
    step,
    ...links.filter((link) => step.includes(link.step)).flatMap(({ settings }) => settings),
  ])
}

/** Lists the sources of a chain of roles, the outermost first. */
export function listChain(source: AwsCredentialSource): AwsCredentialSource[] {
  return source.kind === 'role' ? [source, ...listChain(source.from)] : [source]
}

/** Describes where the settings of a profile are, and those that it refers to, one line each. */
export function describeProfileSettings(profile: string, files: AwsFiles): string[] {
  const { sso_session: session, services } = findSection(files.profiles, profile) ?? {}
  return [
    ...describeSectionSettings({ kind: 'profile', name: profile }, files),
    ...(session === undefined ? [] : describeSectionSettings({ kind: 'sso-session', name: session }, files)),
    ...(services === undefined ? [] : describeSectionSettings({ kind: 'services', name: services }, files)),
  ]
}

/**
 * Describes where the settings of one step are. Only the first step of a profile has settings, such as a role that the instance's
 * credentials assume.
 */
export function describeSettings(
  source: AwsCredentialSource,
  before: AwsCredentialSource | undefined,
  files: AwsFiles,
): string[] {
  const profile = findProfile(source)
  if (profile === undefined || (before && findProfile(before) === profile)) return []
  return describeProfileSettings(profile, files)
}

function describeSectionSettings(section: SectionName, files: AwsFiles): string[] {
  const settings = [...locateSettings(files, section)].filter(([key]) => mayChangeCredentials(key))
  return settings.map(([key, lines]) => {
    const locations = lines.map(({ path, line }) => `${path}:${line}`)
    const ignored = locations.slice(0, -1)
    return `  ${key}: ${locations.at(-1)}${ignored.length === 0 ? '' : `, instead of ${ignored.join(', ')}`}`
  })
}

/** Returns whether a setting can change credentials. Settings that only the AWS CLI itself uses cannot. */
function mayChangeCredentials(key: string): boolean {
  return !/^(output|cli_.*|s3(api)?(\..*)?)$/.test(key)
}
