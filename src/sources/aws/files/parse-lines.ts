/** A line of an AWS file that is neither empty nor a comment. */
export interface AwsLine {
  /** From 1 on. */
  readonly line: number
  readonly content: 'heading' | 'setting' | 'unreadable'
  /** What the brackets of the nearest heading hold; empty before the first one. */
  readonly heading: string
  /** In lower case; below a key without a value `KEY.SUBKEY`. Empty except for a setting. */
  readonly key: string
}

/** The lines of an AWS file by the rules of the SDK's parser, which itself reports nothing of what it does not understand. */
export function parseLines(text: string): AwsLine[] {
  const found: AwsLine[] = []
  let heading = ''
  let parent = ''
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = index + 1
    const content = raw.replace(/(^|\s)[;#].*/, '').trim()
    if (content === '') continue
    const named = parseHeading(content)
    const key = named === undefined && heading !== '' ? parseKey(content) : ''
    if (named !== undefined) heading = named
    if (/^\S/.test(raw)) parent = content.endsWith('=') ? key : ''
    if (named !== undefined) found.push({ line, content: 'heading', heading, key: '' })
    else if (key === '') found.push({ line, content: 'unreadable', heading, key: '' })
    else found.push({ line, content: 'setting', heading, key: parent && parent !== key ? `${parent}.${key}` : key })
  }
  return found
}

/** The SDK's parser throws on the name `__proto__`, and its loader then treats the whole file as empty. */
function parseHeading(content: string): string | undefined {
  const heading = /^\[([^\]]+)\]$/.exec(content)?.[1]?.trim()
  return heading === undefined || /^(profile\s+)?["']?__proto__/.test(heading) ? undefined : heading
}

function parseKey(content: string): string {
  const end = content.startsWith('[') ? 0 : content.indexOf('=')
  return content.slice(0, Math.max(0, end)).trim().toLowerCase()
}
