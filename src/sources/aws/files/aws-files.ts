// Folder: the two AWS files, the locations of their settings, and the files that are shared with other AWS tools.

import { join } from 'node:path'
import { expandHome, readIfPresent } from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'

/** A user's AWS configuration, in which both files are merged as the AWS tools merge them. */
export interface AwsFiles {
  readonly configPath: string
  readonly credentialsPath: string
  /** Whether the configuration file is not `~/.aws/config`, which a terminal reads by default. */
  readonly isCustomPath: boolean
  /** Paths of the files that do not exist, for messages. */
  readonly missing: readonly string[]
  readonly profiles: Readonly<Record<string, Section>>
  /** Paths of the files in which a profile has a section, for messages. */
  readonly profilePaths: Readonly<Record<string, readonly string[]>>
  readonly ssoSessions: Readonly<Record<string, Section>>
  /** The `services` sections. Their keys are `SERVICE.KEY`, such as `sts.endpoint_url`. */
  readonly services: Readonly<Record<string, Section>>
  /** The lines of each file. A line's meaning depends on the file. */
  readonly lines: readonly (readonly AwsLine[])[]
}

/** Locates the directory in which the AWS tools keep their files. */
export function locateToolDirectory(home: string): string {
  return join(home, '.aws')
}

/** Locates both files: by their variables, otherwise in `~/.aws`. They need not exist. */
export function locateAwsFiles({ env, home }: Pick<Host, 'env' | 'home'>): [config: string, credentials: string] {
  const locate = (path: string | undefined, name: string) =>
    expandHome(path || join(locateToolDirectory(home), name), home)
  return [locate(env.AWS_CONFIG_FILE, 'config'), locate(env.AWS_SHARED_CREDENTIALS_FILE, 'credentials')]
}

/**
 * Reads `AWS_CONFIG_FILE` and `AWS_SHARED_CREDENTIALS_FILE`, or the files in `~/.aws`. Both are read and parsed here, because the SDK
 * takes an unreadable file for an empty one and skips what it does not understand; a test compares the meaning of a file with the
 * SDK's.
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
  const isCustomPath = configPath !== join(locateToolDirectory(home), 'config')
  return {
    configPath,
    credentialsPath,
    isCustomPath,
    lines,
    missing: paths.filter((_, index) => texts[index] === undefined),
    // If both files have a key, the credentials file wins.
    profiles: convertNames(names, (name) => ({ ...holders[0][name], ...holders[1][name] })),
    profilePaths: convertNames(names, (name) => paths.filter((_, index) => Object.hasOwn(holders[index]!, name))),
    ssoSessions: config['sso-session'],
    services: config.services,
  }
}

/**
 * Refuses a file that the AWS CLI refuses: the SDK's parser skips lines that it does not understand, and takes the last of two
 * settings, so that the user would not learn that one of them is ignored.
 * @throws {HelperError} `not-configured`, naming the file and the line.
 */
function refuseMalformed(path: string, text: string, lines: readonly AwsLine[]): void {
  refuseOtherEncodings(path, text)
  const seen = new Map<string, AwsLine>()
  for (const each of lines) {
    if (each.content === 'unreadable') throw toUnreadable(path, each.line)
    const name = `${each.heading.trim()}\n${each.key}`
    const earlier = seen.get(name)
    if (earlier && !each.key.includes('.')) throw toRepeated(path, each, earlier.line)
    seen.set(name, each)
  }
}

/** Refuses a file in UTF-16 or another encoding. Bytes that are not UTF-8 have been read as U+FFFD, which does no harm in a comment. */
function refuseOtherEncodings(path: string, text: string): void {
  if (!text.includes('\uFFFD')) return
  const found = text.split(/\r?\n/).findIndex((line) => line.replace(/(^|\s)[;#].*/, '').includes('\uFFFD'))
  if (found < 0) return
  const message = `${path} is not UTF-8: line ${found + 1} has bytes that mean nothing in it`
  throw new HelperError('not-configured', message, `save ${path} as UTF-8`)
}

function toUnreadable(path: string, line: number): HelperError {
  return new HelperError(
    'not-configured',
    `${path} is malformed: line ${line} is neither a [section] nor a "key = value" inside one`,
    `correct line ${line} of ${path}`,
  )
}

function toRepeated(path: string, { line, heading, key }: AwsLine, earlier: number): HelperError {
  const isHeading = key === ''
  return new HelperError(
    'not-configured',
    `${path} is malformed: line ${line} ${isHeading ? `begins [${heading.trim()}]` : `sets ${key}`} again, after line ${earlier}`,
    isHeading
      ? `move what is below line ${line} of ${path} to line ${earlier}`
      : `remove line ${earlier} or line ${line} of ${path}`,
  )
}

/** A line of an AWS file that is neither empty nor a comment. */
export interface AwsLine {
  /** The number of the line, from 1 on. */
  readonly line: number
  readonly content: 'heading' | 'setting' | 'unreadable'
  /** The text between the brackets of the last heading, with its spaces; empty before the first heading. */
  readonly heading: string
  /** The key in lower case, as the AWS CLI reads it; `KEY.SUBKEY` below a key without a value; empty except for a setting. */
  readonly key: string
  /** The text after the first `=`. */
  readonly value: string
}

/**
 * Parses the lines of an AWS file by the rules of the SDK's parser, which does not report what it skips. It uses no regular expressions,
 * because each takes time to compile and every call runs this.
 */
export function parseLines(text: string): AwsLine[] {
  const found: AwsLine[] = []
  let heading = ''
  let parent = ''
  for (const [index, raw] of text.split('\n').entries()) {
    const words = stripComment(raw).trim()
    if (words === '') continue
    const at = { line: index + 1, key: '', value: '' }
    const named = parseHeading(words)
    if (named !== undefined) {
      heading = named
      parent = ''
      found.push({ ...at, content: 'heading', heading })
      continue
    }
    const end = words.startsWith('[') || heading === '' ? -1 : words.indexOf('=')
    const key = words.slice(0, Math.max(0, end)).trim().toLowerCase()
    const value = words.slice(end + 1).trim()
    if (raw.trimStart() === raw) parent = ''
    if (key === '') found.push({ ...at, content: 'unreadable', heading })
    else found.push({ ...at, content: 'setting', heading, key: parent === '' ? key : `${parent}.${key}`, value })
    if (key !== '' && value === '') parent = key
  }
  return found
}

/** Removes a comment, which begins a line or follows a space. */
function stripComment(raw: string): string {
  for (let index = 0; index < raw.length; index += 1) {
    const isMark = raw[index] === '#' || raw[index] === ';'
    if (isMark && (index === 0 || raw[index - 1]!.trim() === '')) return raw.slice(0, index)
  }
  return raw
}

/**
 * Parses a heading; `undefined` for the name `__proto__`, on which the SDK's parser throws, so that its loader treats the whole file as
 * empty.
 */
function parseHeading(words: string): string | undefined {
  if (words.length < 3 || !words.startsWith('[') || words.indexOf(']') !== words.length - 1) return undefined
  const heading = words.slice(1, -1)
  const isPrototype = heading.includes('__proto__') && /^\s*(profile\s+)?["']?__proto__/.test(heading)
  return isPrototype || heading.trim() === '' ? undefined : heading
}

/** The settings of one section, by key. */
export type Section = Readonly<Record<string, string | undefined>>

type Sections = Readonly<Record<string, Section>>

/** Finds a section by its name; `undefined` if no file has it. */
export function findSection(sections: Sections, name: string): Section | undefined {
  return Object.hasOwn(sections, name) ? sections[name] : undefined
}

/** The sections of a configuration file that have a setting, by their kinds and names. */
interface ConfigSections {
  readonly profile: Sections
  readonly 'sso-session': Sections
  readonly services: Sections
}

/** Groups the lines of a credentials file by section. A section has the name of its profile. */
function toSections(lines: readonly AwsLine[]): Record<string, Section> {
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

/** Groups the lines of a configuration file by section. Sections of another kind have no meaning. */
function toConfigSections(lines: readonly AwsLine[]): ConfigSections {
  const { default: chosen, ...named } = toSections(lines)
  const listSections = (kind: keyof ConfigSections) =>
    Object.entries(named)
      .filter(([name]) => name.startsWith(`${kind}.`))
      .map(([name, section]) => [name.slice(kind.length + 1), section] as const)
  const profiles = [...(chosen ? [['default', chosen] as const] : []), ...listSections('profile')]
  return {
    profile: Object.fromEntries(profiles),
    'sso-session': Object.fromEntries(listSections('sso-session')),
    services: Object.fromEntries(listSections('services')),
  }
}

function convertNames<T>(names: Iterable<string>, convert: (name: string) => T): Record<string, T> {
  return Object.fromEntries([...names].map((name) => [name, convert(name)]))
}

/**
 * Names a section as the SDK's parser does: its kind and its name with a dot between them, or the heading itself; `undefined` for another
 * kind.
 */
function nameSection(heading: string): string | undefined {
  const [, kind, , name] = /^([\w-]+)\s(["'])?([\w\-@+.%:/]+)\2$/.exec(heading) ?? []
  if (kind === undefined) return heading
  return kind === 'profile' || kind === 'sso-session' || kind === 'services' ? `${kind}.${name}` : undefined
}
