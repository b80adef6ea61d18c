import { join } from 'node:path'
import { externalDataInterceptor, loadSharedConfigFiles } from '@smithy/core/config'
import { expandHome, readIfPresent } from '../../../runtime/files.ts'
import type { Host } from '../../../runtime/host.ts'
import { refuseMalformed } from '../files/refuse-malformed.ts'

/** The settings of one section, by key. */
export type Section = Readonly<Record<string, string | undefined>>

/** The AWS configuration of a user; both files are merged as the AWS tools merge them. */
export interface AwsFiles {
  readonly configPath: string
  readonly credentialsPath: string
  /** Whether the configuration file is not `~/.aws/config`, which a terminal reads by default. */
  readonly isCustomPath: boolean
  /** Paths that do not exist, for messages. */
  readonly missing: readonly string[]
  readonly profiles: Readonly<Record<string, Section>>
  /** Paths of the files in which a profile has a section, for messages. */
  readonly profilePaths: Readonly<Record<string, readonly string[]>>
  readonly ssoSessions: Readonly<Record<string, Section>>
  /** The `services` sections. Their keys are `SERVICE.KEY`, such as `sts.endpoint_url`. */
  readonly services: Readonly<Record<string, Section>>
  /** The text of each file: the same line has different meanings in the two. */
  readonly content: readonly string[]
}

/** The paths of both files. */
export function locateAwsFiles({ env, home }: Pick<Host, 'env' | 'home'>): [config: string, credentials: string] {
  const locate = (path: string | undefined, name: string) => expandHome(path || join(home, '.aws', name), home)
  return [locate(env.AWS_CONFIG_FILE, 'config'), locate(env.AWS_SHARED_CREDENTIALS_FILE, 'credentials')]
}

/**
 * Reads `AWS_CONFIG_FILE` and `AWS_SHARED_CREDENTIALS_FILE`, or the files in `~/.aws`. Reading is ours, because the SDK takes an
 * unreadable file for an empty one; parsing is the SDK's, so that a file means the same to both.
 * @throws {HelperError} `not-configured` for a file that is unreadable or malformed.
 */
export async function readAwsFiles({ env, home }: Pick<Host, 'env' | 'home'>): Promise<AwsFiles> {
  const paths = locateAwsFiles({ env, home })
  const [configPath, credentialsPath] = paths
  const texts = await Promise.all(paths.map(readIfPresent))
  for (const [index, path] of paths.entries()) {
    const text = texts[index] ?? ''
    refuseMalformed(path, text)
    externalDataInterceptor.interceptFile(path, lowerKeys(text))
  }
  const sections = await loadSharedConfigFiles({ configFilepath: configPath, filepath: credentialsPath })
  const holders = [sections.configFile, sections.credentialsFile]
  const names = new Set(holders.flatMap((holder) => Object.keys(holder)))
  const isCustomPath = configPath !== join(home, '.aws', 'config')
  return {
    ...{ configPath, credentialsPath, isCustomPath },
    missing: paths.filter((_, index) => texts[index] === undefined),
    // Where both files have a key, the credentials file wins.
    profiles: mapNames(names, (name) => ({ ...sections.configFile[name], ...sections.credentialsFile[name] })),
    profilePaths: mapNames(names, (name) => paths.filter((_, index) => Object.hasOwn(holders[index]!, name))),
    ssoSessions: selectSections('sso-session', sections.configFile),
    services: selectSections('services', sections.configFile),
    content: texts.map((text) => text ?? ''),
  }
}

/** The AWS CLI reads keys whatever their case, the JavaScript SDK in lower case only. */
function lowerKeys(text: string): string {
  return text.replace(/^[^\S\n]*[^\s[#;=][^=\n]*(?==)/gm, (key) => key.toLowerCase())
}

function mapNames<T>(names: Iterable<string>, find: (name: string) => T): Record<string, T> {
  return Object.fromEntries([...names].map((name) => [name, find(name)]))
}

/** The SDK's loader names other sections than profiles by their kind, a dot and their name. */
function selectSections(kind: string, config: Record<string, Section>): Record<string, Section> {
  const prefix = `${kind}.`
  const found = Object.entries(config).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(found.map(([name, section]) => [name.slice(prefix.length), section]))
}
