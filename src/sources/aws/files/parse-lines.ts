/** A line of an AWS file that is neither empty nor a comment. */
export interface AwsLine {
  /** From 1 on. */
  readonly line: number
  readonly content: 'heading' | 'setting' | 'unreadable'
  /** What the brackets of the nearest heading hold, spaces included; empty before the first one. */
  readonly heading: string
  /** In lower case, as the AWS CLI reads it; below a key without a value `KEY.SUBKEY`. Empty except for a setting. */
  readonly key: string
  /** What follows the first `=`. */
  readonly value: string
}

/**
 * The lines of an AWS file by the rules of the SDK's parser, which itself reports nothing of what it does not understand. Without
 * regular expressions, because each takes a while to compile and every call comes by here.
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

/** A comment begins a line or follows a space. */
function stripComment(raw: string): string {
  for (let index = 0; index < raw.length; index += 1) {
    const isMark = raw[index] === '#' || raw[index] === ';'
    if (isMark && (index === 0 || raw[index - 1]!.trim() === '')) return raw.slice(0, index)
  }
  return raw
}

/** The SDK's parser throws on the name `__proto__`, and its loader then treats the whole file as empty. */
function parseHeading(words: string): string | undefined {
  if (words.length < 3 || !words.startsWith('[') || words.indexOf(']') !== words.length - 1) return undefined
  const heading = words.slice(1, -1)
  const isPrototype = heading.includes('__proto__') && /^\s*(profile\s+)?["']?__proto__/.test(heading)
  return isPrototype || heading.trim() === '' ? undefined : heading
}
