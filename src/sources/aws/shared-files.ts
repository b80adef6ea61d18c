import { join } from 'node:path'
import {
  externalDataInterceptor,
  loadSharedConfigFiles,
  loadSsoSessionData,
  parseKnownFiles,
} from '@smithy/core/config'
import { HelperError } from '../../runtime/failure.ts'
import { expandHome, readIfPresent } from '../../runtime/files.ts'
import type { Host } from '../../runtime/host.ts'

/** Settings of one section, by key. */
export type Section = Readonly<Record<string, string | undefined>>

/** The AWS configuration of a user, both files merged as every AWS tool does. */
export interface AwsFiles {
  readonly configPath: string
  readonly credentialsPath: string
  /** Whether the configuration is not where every terminal looks for it. */
  readonly isElsewhere: boolean
  /** Paths that do not exist, for messages. */
  readonly missing: readonly string[]
  readonly profiles: Readonly<Record<string, Section>>
  /** Paths of the files in which a profile has a section, for messages. */
  readonly places: Readonly<Record<string, readonly string[]>>
  readonly ssoSessions: Readonly<Record<string, Section>>
  /** Both files as they are. */
  readonly content: string
}

/**
 * Reads `AWS_CONFIG_FILE` and `AWS_SHARED_CREDENTIALS_FILE`, or the files in `~/.aws`. We read, so that a file that
 * cannot be read is not taken for an empty one; the SDK parses, so that both mean the same.
 * @throws {HelperError} `not-configured` for a file that is unreadable or malformed.
 */
export async function readAwsFiles({ env, home }: Pick<Host, 'env' | 'home'>): Promise<AwsFiles> {
  const configPath = expandHome(env.AWS_CONFIG_FILE || join(home, '.aws', 'config'), home)
  const credentialsPath = expandHome(env.AWS_SHARED_CREDENTIALS_FILE || join(home, '.aws', 'credentials'), home)
  const missing: string[] = []
  const texts: string[] = []
  for (const path of [configPath, credentialsPath]) {
    const text = await readIfPresent(path)
    if (text === undefined) missing.push(path)
    else refuseIfMalformed(path, text)
    texts.push(text ?? '')
    externalDataInterceptor.interceptFile(path, text ?? '')
  }
  const init = { configFilepath: configPath, filepath: credentialsPath }
  const [profiles, { configFile, credentialsFile }, ssoSessions] = await Promise.all([
    parseKnownFiles(init),
    loadSharedConfigFiles(init),
    loadSsoSessionData(init),
  ])
  const holders: [path: string, holder: object][] = [
    [configPath, configFile],
    [credentialsPath, credentialsFile],
  ]
  const places = Object.fromEntries(
    Object.keys(profiles).map((name) => [
      name,
      holders.filter(([, holder]) => Object.hasOwn(holder, name)).map(([path]) => path),
    ]),
  )
  const isElsewhere = configPath !== join(home, '.aws', 'config')
  return { configPath, credentialsPath, isElsewhere, missing, profiles, places, ssoSessions, content: texts.join('\n') }
}

/** The parser passes over what it does not understand, and with it over a key that somebody is sure to have set. */
function refuseIfMalformed(path: string, text: string): void {
  let isInSection = false
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*([#;].*)?$/.test(line)) continue
    // The SDK's parser throws at this name, and its loader takes the whole file for an empty one then.
    const isHeading = /^\s*\[[^\]]+\]\s*([#;].*)?$/.test(line) && !/^\s*\[(profile\s+)?["']?__proto__/.test(line)
    const isSetting = isInSection && (/^\s*[^\s=[][^=]*=/.test(line) || /^\s/.test(line))
    if (!isHeading && !isSetting)
      throw new HelperError(
        'not-configured',
        `${path} is malformed: line ${index + 1} is neither a [section] nor a "key = value" inside one`,
        `correct line ${index + 1} of ${path}`,
      )
    isInSection = true
  }
}
