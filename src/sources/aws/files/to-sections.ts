import type { AwsLine } from './parse-lines.ts'

/** The settings of one section, by key. */
export type Section = Readonly<Record<string, string | undefined>>

/** Sections by their names. */
type Sections = Readonly<Record<string, Section>>

/** The sections of a configuration file that have a setting, by their kinds and names. */
export interface ConfigSections {
  readonly profile: Sections
  readonly 'sso-session': Sections
  readonly services: Sections
}

/** The sections of a credentials file, each of which is named like its profile. */
export function toSections(lines: readonly AwsLine[]): Record<string, Section> {
  const sections = new Map<string, [string, string][]>()
  for (const { heading, key, value } of lines) {
    const name = value === '' ? undefined : nameSection(heading)
    if (name === undefined) continue
    const settings = sections.get(name)
    if (settings) settings.push([key, value])
    else sections.set(name, [[key, value]])
  }
  return Object.fromEntries([...sections].map(([name, settings]) => [name, Object.fromEntries(settings)]))
}

/** The sections of a configuration file. Those of another kind have no meaning. */
export function toConfigSections(lines: readonly AwsLine[]): ConfigSections {
  const { default: chosen, ...named } = toSections(lines)
  const find = (kind: keyof ConfigSections) =>
    Object.entries(named)
      .filter(([name]) => name.startsWith(`${kind}.`))
      .map(([name, section]) => [name.slice(kind.length + 1), section] as const)
  const profiles = [...(chosen ? [['default', chosen] as const] : []), ...find('profile')]
  return {
    profile: Object.fromEntries(profiles),
    'sso-session': Object.fromEntries(find('sso-session')),
    services: Object.fromEntries(find('services')),
  }
}

/**
 * What the SDK's parser calls the section below a heading: a kind and a name with a dot between them, or the heading itself;
 * `undefined` for another kind.
 */
function nameSection(heading: string): string | undefined {
  const [, kind, , name] = /^([\w-]+)\s(["'])?([\w\-@+.%:/]+)\2$/.exec(heading) ?? []
  if (kind === undefined) return heading
  return kind === 'profile' || kind === 'sso-session' || kind === 'services' ? `${kind}.${name}` : undefined
}
