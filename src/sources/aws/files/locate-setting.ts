import { HelperError } from '../../../runtime/failure.ts'
import type { AwsFiles, AwsLine } from './aws-files.ts'

/** The kind and the name in the brackets that begin a section. */
export interface SectionName {
  readonly kind: 'profile' | 'sso-session' | 'services'
  readonly name: string
}

/** The lines of both files, first the configuration file's. */
export interface ReadFiles {
  readonly configPath: string
  readonly credentialsPath: string
  readonly lines: readonly (readonly AwsLine[])[]
}

/**
 * Locates the line that sets a key in a section; if both files set it, the line of the credentials file, which takes precedence. The key of
 * a nested setting is `SERVICE.KEY`. `undefined` if neither file sets it.
 */
export function locateSetting(files: ReadFiles, section: SectionName, key: string): SettingLocation | undefined {
  return listLines(files, section, (line) => line.key === key).at(-1)
}

/** A line of one of the AWS files. `line` counts from 1. */
interface SettingLocation {
  readonly path: string
  readonly line: number
}

/** Locates every key of a section, with its lines in order, of which the last counts. The configuration file comes first. */
export function locateSettings(files: ReadFiles, section: SectionName): ReadonlyMap<string, SettingLocation[]> {
  const keys = new Set(files.lines.flat().map(({ key }) => key))
  const located = [...keys].map((key) => [key, listLines(files, section, (line) => line.key === key)] as const)
  const set = located.filter(([key, lines]) => key !== '' && lines.length > 0)
  const compare = (one: SettingLocation, other: SettingLocation) =>
    one.path === other.path ? one.line - other.line : one.path === files.configPath ? -1 : 1
  return new Map(set.toSorted(([, one], [, other]) => compare(one.at(-1)!, other.at(-1)!)))
}

/** Describes where a key of a section is set, in parentheses after a space; empty if neither file sets it. */
export function describeOrigin(files: ReadFiles, section: SectionName, key: string): string {
  const location = locateSetting(files, section, key)
  return location ? ` (${describeLocation(location)})` : ''
}

/** Describes a location: `line 3 of /home/dana/.aws/config`. */
function describeLocation({ path, line }: SettingLocation): string {
  return `line ${line} of ${path}`
}

/** Describes a section: `profile "dev"`, or the brackets of another kind. */
export function describeSection({ kind, name }: SectionName): string {
  return kind === 'profile' ? `profile "${name}"` : `[${kind} ${name}]`
}

function listLines(
  { configPath, credentialsPath, lines: [config = [], credentials = []] }: ReadFiles,
  section: SectionName,
  isMeant: (line: AwsLine) => boolean,
): SettingLocation[] {
  const search = (path: string, lines: readonly AwsLine[], isSection: (heading: string) => boolean) =>
    lines.filter((line) => isSection(line.heading.trim()) && isMeant(line)).map(({ line }) => ({ path, line }))
  return [
    ...search(configPath, config, (heading) => isConfigHeading(heading, section)),
    ...search(credentialsPath, credentials, (heading) => section.kind === 'profile' && heading === section.name),
  ]
}

function isConfigHeading(heading: string, { kind, name }: SectionName): boolean {
  if (kind === 'profile' && name === 'default' && heading === 'default') return true
  const [, prefix, title] = /^([\w-]+)\s+["']?(.+?)["']?$/.exec(heading) ?? []
  return prefix === kind && title === name
}

/** The location in the files at which a failure has to be fixed. */
interface NamedSetting {
  readonly section: SectionName
  /** The wrong setting; absent if the section lacks one. */
  readonly key?: string
}

/** Creates a failure that has to be fixed in the AWS files. Its hint names the line, if there is one. */
export function toConfigurationError(files: ReadFiles, message: string, { section, key }: NamedSetting): HelperError {
  const line = key === undefined ? undefined : locateSetting(files, section, key)
  if (line) return new HelperError('not-configured', message, `correct ${describeLocation(line)}`)
  const begins = locateSection(files, section).map(describeLocation)
  const hint =
    begins.length > 0
      ? `correct the section that begins in ${begins.join(' or in ')}`
      : `correct it in ${files.configPath}`
  return new HelperError('not-configured', message, hint)
}

/** Locates the headings of a section, in one file or in both. */
function locateSection(files: ReadFiles, section: SectionName): SettingLocation[] {
  return listLines(files, section, ({ content }) => content === 'heading')
}

/** Creates the failure of a profile whose `region` is another text than the name of a region. */
export function toRegionError(files: ReadFiles, profile: string): HelperError {
  const section = { kind: 'profile', name: profile } as const
  return toConfigurationError(files, `the region of profile "${profile}" is not the name of a region`, {
    section,
    key: 'region',
  })
}

/** Completes a hint with a command of the AWS CLI, which in a person's terminal may read another configuration file than the client's. */
export function toTerminalHint(hint: string, { configPath, isCustomPath }: AwsFiles): string {
  return isCustomPath ? `with AWS_CONFIG_FILE set to ${configPath}, ${hint}` : hint
}

/** Describes the files in which a profile has a section, for a hint; the configuration file if it has none. */
export function describePaths(profile: string, { profilePaths, configPath }: AwsFiles): string {
  return (profilePaths[profile] ?? [configPath]).join(' or ')
}
