import { HelperError } from '../../runtime/failure.ts'
import { parseObject } from '../../runtime/values/json-value.ts'

/**
 * Parses a JSON text as an object in which no name occurs twice: parsers treat duplicates differently (RFC 8259, section 4), so that two
 * readers would get different values. `undefined` for anything else.
 */
export function parseUniqueObject(text: string): Record<string, unknown> | undefined {
  const object = parseObject(text)
  return object && findDuplicateMember(text) === undefined ? object : undefined
}

/** Returns the failure of an answer in which {@link parseUniqueObject} finds no object. */
export function toNoObjectFailure({ host, pathname }: URL, hint: string): HelperError {
  const message = `${host} answered with no JSON object at ${pathname}, or with one that names a member twice`
  return new HelperError('unavailable', message, hint)
}

/**
 * Finds a name that occurs twice in one object of a JSON text, at any depth and with any escaping. It is a scanner, because a regular
 * expression took longer than every other part of a verification except the signature.
 * @param json Valid JSON.
 */
export function findDuplicateMember(json: string): string | undefined {
  const objects: Set<string>[] = []
  let [start, end] = [0, 0] // the last string, with its quotes
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at)
    if (character === code['"']) {
      start = at
      at = locateStringEnd(json, at)
      end = at + 1
    } else if (character === code['{'] || character === code['['])
      objects.push(new Set()) // a list gets one too, which stays empty
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

/** Locates the quote that ends the string which begins at `start`. */
function locateStringEnd(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const character = json.charCodeAt(at)
    if (character === code['\\']) at += 1
    else if (character === code['"'] || Number.isNaN(character)) return at
  }
}

function parseName(quoted: string): string {
  return quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
}
