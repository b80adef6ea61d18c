import type { AwsFiles } from '../credentials/shared-files.ts'
import { parseSettingLines, type SettingLine } from './parse-setting-lines.ts'

/** A setting of a section, with the line that counts. */
export interface LocatedSetting {
  readonly key: string
  /** Path and line, such as `/home/dana/.aws/config:12`. */
  readonly place: string
  /** Lines with the same key that do not count. */
  readonly ignored: readonly string[]
}

type Files = Pick<AwsFiles, 'configPath' | 'credentialsPath' | 'content'>

/** The settings of a profile. Where both files have a key, the credentials file wins; within a file the last line. */
export function locateProfileSettings(files: Files, profile: string): LocatedSetting[] {
  const [config = [], credentials = []] = files.content.map(parseSettingLines)
  const own = toPlaces(config, files.configPath, `profile.${profile}`)
  // Of `[default]` and `[profile default]` the SDK takes the second whole.
  const plain = profile === 'default' && own.length === 0 ? toPlaces(config, files.configPath, 'default') : []
  return merge([...own, ...plain, ...toPlaces(credentials, files.credentialsPath, profile)])
}

/** The settings of an `[sso-session NAME]` or a `[services NAME]`. */
export function locateSectionSettings(files: Files, kind: 'sso-session' | 'services', name: string): LocatedSetting[] {
  return merge(toPlaces(parseSettingLines(files.content[0] ?? ''), files.configPath, `${kind}.${name}`))
}

interface Place {
  readonly key: string
  readonly place: string
}

function toPlaces(lines: readonly SettingLine[], path: string, section: string): Place[] {
  return lines.filter((line) => line.section === section).map(({ key, line }) => ({ key, place: `${path}:${line}` }))
}

/** Later places win. */
function merge(places: readonly Place[]): LocatedSetting[] {
  return [...Map.groupBy(places, ({ key }) => key)].map(([key, found]) => {
    const all = found.map(({ place }) => place)
    return { key, place: all.at(-1)!, ignored: all.slice(0, -1) }
  })
}
