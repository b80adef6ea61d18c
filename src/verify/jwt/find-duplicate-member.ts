import { parseObject } from '../../runtime/values/json-value.ts'

/**
 * The name that an object in a JSON text has twice, at any depth, however it is escaped. It looks at each character once: a regular
 * expression took longer than everything else about a token but its signature.
 * @param json Valid JSON.
 */
export function findDuplicateMember(json: string): string | undefined {
  const objects: Set<string>[] = []
  let [start, end] = [0, 0] // of the last string, with its quotes
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at)
    if (character === code['"']) {
      start = at
      at = findStringEnd(json, at)
      end = at + 1
    } else if (character === code['{'] || character === code['['])
      objects.push(new Set()) // a list has one too, to which nothing is added
    else if (character === code['}'] || character === code[']']) objects.pop()
    else if (character === code[':']) {
      const [name, names] = [parseName(json.slice(start, end)), objects[objects.length - 1]]
      if (names?.has(name)) return name
      names?.add(name)
    }
  }
  return undefined
}

const code = { '"': 0x22, ':': 0x3a, '[': 0x5b, '\\': 0x5c, ']': 0x5d, '{': 0x7b, '}': 0x7d } as const

/** The place of the quote that ends the string which begins at `start`. */
function findStringEnd(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const character = json.charCodeAt(at)
    if (character === code['\\']) at += 1
    else if (character === code['"'] || Number.isNaN(character)) return at
  }
}

function parseName(quoted: string): string {
  return quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
}

/**
 * The object that a JSON text holds, if no object in it names a member twice: parsers choose differently among duplicates (RFC 8259,
 * section 4), so that two readers of one text would see two values. `undefined` for anything else.
 */
export function parseUniqueObject(text: string): Record<string, unknown> | undefined {
  const object = parseObject(text)
  return object && findDuplicateMember(text) === undefined ? object : undefined
}
