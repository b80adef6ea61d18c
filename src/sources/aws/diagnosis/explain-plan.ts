import { type CredentialSource, describeSource } from '../credentials/credential-source.ts'
import type { AwsPlan } from '../credentials/plan.ts'
import type { AwsFiles } from '../credentials/shared-files.ts'
import { type LocatedSetting, locateProfileSettings, locateSectionSettings } from './locate-settings.ts'

/** The steps of a plan, each followed by the lines of the AWS files that its settings stand in; never a value. */
export function explainAwsPlan({ source, region, files }: Pick<AwsPlan, 'source' | 'region' | 'files'>): string[] {
  return [
    ...listChain(source).flatMap((link, index, chain) => [
      describeSource(link)[0] ?? '',
      ...describeSettings(link, chain[index - 1], files),
    ]),
    `region ${region}`,
  ]
}

/** The sources of a chain of roles, the outermost first. */
export function listChain(source: CredentialSource): CredentialSource[] {
  return source.kind === 'role' ? [source, ...listChain(source.from)] : [source]
}

/** The places of a profile's settings, and of what it refers to; one line each. */
export function describeProfileSettings(profile: string, files: AwsFiles): string[] {
  const settings = locateProfileSettings(files, profile).filter(({ key }) => isTelling(key))
  return [...settings.map(render), ...describeReferences(profile, files)]
}

/** Only the first step of a profile has its settings, such as a role over the instance's credentials. */
function describeSettings(source: CredentialSource, before: CredentialSource | undefined, files: AwsFiles): string[] {
  const { profile } = toOwner(source)
  if (profile === undefined || (before && toOwner(before).profile === profile)) return []
  return describeProfileSettings(profile, files)
}

function toOwner(source: CredentialSource): { readonly profile?: string | undefined } {
  return source.kind === 'environment' ? {} : source
}

function describeReferences(profile: string, files: AwsFiles): string[] {
  const { sso_session: session, services } = (Object.hasOwn(files.profiles, profile) && files.profiles[profile]) || {}
  return [
    ...(session === undefined ? [] : locateSectionSettings(files, 'sso-session', session)),
    ...(services === undefined ? [] : locateSectionSettings(files, 'services', services)),
  ].map(render)
}

/** What only the AWS CLI itself uses changes no credentials. */
function isTelling(key: string): boolean {
  return !/^(output|cli_.*|s3\..*|s3api\..*)$/.test(key)
}

function render({ key, place, ignored }: LocatedSetting): string {
  const instead = ignored.length === 0 ? '' : `, instead of ${ignored.join(', ')}`
  return `  ${key}: ${place}${instead}`
}
