import { join } from 'node:path'
import { expandHome, readIfPresent } from '../../../runtime/files.ts'
import type { Host } from '../../../runtime/host.ts'
import { type AwsLine, parseLines } from '../files/parse-lines.ts'
import { refuseMalformed } from '../files/refuse-malformed.ts'
import { type Section, toConfigSections, toSections } from '../files/to-sections.ts'

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
  /** The lines of each file: the same line has different meanings in the two. */
  readonly lines: readonly (readonly AwsLine[])[]
}

/** The paths of both files. */
export function locateAwsFiles({ env, home }: Pick<Host, 'env' | 'home'>): [config: string, credentials: string] {
  const locate = (path: string | undefined, name: string) => expandHome(path || join(home, '.aws', name), home)
  return [locate(env.AWS_CONFIG_FILE, 'config'), locate(env.AWS_SHARED_CREDENTIALS_FILE, 'credentials')]
}

/**
 * Reads `AWS_CONFIG_FILE` and `AWS_SHARED_CREDENTIALS_FILE`, or the files in `~/.aws`. Both are read and parsed here, because the
 * SDK takes an unreadable file for an empty one and skips what it does not understand; a test compares the meaning of a file with the SDK's.
 * @throws {HelperError} `not-configured` for a file that is unreadable or malformed.
 */
export async function readAwsFiles({ env, home }: Pick<Host, 'env' | 'home'>): Promise<AwsFiles> {
  const paths = locateAwsFiles({ env, home })
  const [configPath, credentialsPath] = paths
  const texts = await Promise.all(paths.map(readIfPresent))
  const lines = texts.map((text) => parseLines(text ?? ''))
  for (const [index, path] of paths.entries()) refuseMalformed(path, texts[index] ?? '', lines[index]!)
  const config = toConfigSections(lines[0]!)
  const holders = [config.profile, toSections(lines[1]!)] as const
  const names = new Set(holders.flatMap((holder) => Object.keys(holder)))
  const isCustomPath = configPath !== join(home, '.aws', 'config')
  return {
    ...{ configPath, credentialsPath, isCustomPath, lines },
    missing: paths.filter((_, index) => texts[index] === undefined),
    // Where both files have a key, the credentials file wins.
    profiles: mapNames(names, (name) => ({ ...holders[0][name], ...holders[1][name] })),
    profilePaths: mapNames(names, (name) => paths.filter((_, index) => Object.hasOwn(holders[index]!, name))),
    ssoSessions: config['sso-session'],
    services: config.services,
  }
}

function mapNames<T>(names: Iterable<string>, find: (name: string) => T): Record<string, T> {
  return Object.fromEntries([...names].map((name) => [name, find(name)]))
}
