/** A line of an AWS file that sets something. */
export interface SettingLine {
  /** As the SDK names it: `default`, `profile.dev`, `sso-session.corp`; in the credentials file `dev`. */
  readonly section: string
  /** In lower case; below an empty setting, such as `s3 =`, with its name and a dot before it. */
  readonly key: string
  /** The first line is 1. */
  readonly line: number
}

/** The kinds of section that have a name of their own. */
const heading = /^(?<kind>[\w-]+)\s(["'])?(?<name>[\w-@+.%:/]+)\2$/
const kinds: readonly (string | undefined)[] = ['profile', 'sso-session', 'services']

/**
 * Finds the line of every setting, because the SDK's parser, by which we read the files, tells none. It reads a file as that
 * parser does; a test compares the two.
 */
export function parseSettingLines(text: string): SettingLine[] {
  const found: SettingLine[] = []
  let section: string | undefined
  let parent: string | undefined
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = (line.split(/(^|\s)[;#]/)[0] ?? '').trim()
    if (content.startsWith('[') && content.endsWith(']')) {
      section = toSection(content.slice(1, -1))
      parent = undefined
      continue
    }
    const setting = parseSetting(content)
    if (section === undefined || !setting) continue
    if (setting.value === '') {
      parent = setting.key
      continue
    }
    if (line.trimStart() === line) parent = undefined
    found.push({ section, key: parent === undefined ? setting.key : `${parent}.${setting.key}`, line: index + 1 })
  }
  return found
}

/** `undefined` for a kind that the SDK does not know. */
function toSection(title: string): string | undefined {
  const { kind, name } = heading.exec(title)?.groups ?? {}
  if (name === undefined) return title
  return kinds.includes(kind) ? `${kind}.${name}` : undefined
}

function parseSetting(content: string): { key: string; value: string } | undefined {
  const equals = content.indexOf('=')
  if (equals <= 0) return undefined
  return { key: content.slice(0, equals).trim().toLowerCase(), value: content.slice(equals + 1).trim() }
}
