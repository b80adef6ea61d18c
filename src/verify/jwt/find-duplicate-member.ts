import { parseObject } from '../../runtime/values/json-value.ts'

/**
 * The name that an object in a JSON text has twice, at any depth, however it is escaped.
 * @param json Valid JSON.
 */
export function findDuplicateMember(json: string): string | undefined {
  const objects: Set<string>[] = []
  let text = '""'
  for (const [token] of json.matchAll(tokens)) {
    if (token.startsWith('"')) text = token
    // A list has a set too, to which nothing is added.
    else if (token === '{' || token === '[') objects.push(new Set())
    else if (token === '}' || token === ']') objects.pop()
    else {
      const name: string = JSON.parse(text)
      if (objects.at(-1)?.has(name)) return name
      objects.at(-1)?.add(name)
    }
  }
  return undefined
}

/** Strings and what gives JSON its structure; numbers and words lie between them. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs

/**
 * The object that a JSON text holds, if no object in it names a member twice: parsers choose differently among duplicates (RFC 8259,
 * section 4), so that two readers of one text would see two values. `undefined` for anything else.
 */
export function parseUniqueObject(text: string): Record<string, unknown> | undefined {
  const object = parseObject(text)
  return object && findDuplicateMember(text) === undefined ? object : undefined
}
