// Folder: values of unknown shape: JSON that people write, objects, durations.

/** An object as a file holds it, with values of any type. */
export type RawObject = Readonly<Record<string, unknown>>

/** Returns whether a value is an object with keys, which an array, a date and binary data are not. */
export function isObject(value: unknown): value is RawObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !ArrayBuffer.isView(value)
  )
}

/** Returns whether a value is a string that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

export function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Returns whether a setting has a value. An empty list does not count, because it says the same as an absent one. */
export function hasValue<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}

/** Returns the value if it is an object with keys, otherwise an empty object. */
export function toObject(value: unknown): RawObject {
  return isObject(value) ? value : {}
}

/** Finds an object's own member of this name. The result is `undefined` if the object has none, or if the value is not an object. */
export function findMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Copies an object without the members that are `undefined`, so that what is not given is not there either. */
export function omitUndefined<T extends object>(value: T): Given<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Given<T> // the remaining members of the value
}

/** The type of what remains: a member that may be `undefined` is optional. */
type Given<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Describes the type of a value, for messages that must not show the value. */
export function describeType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (value instanceof Date) return 'a date'
  if (ArrayBuffer.isView(value)) return 'binary data'
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a number'
  return typeof value === 'boolean' ? 'true or false' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Parses a JSON text; `undefined` for any other text. It never throws, because the parser's message would repeat the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON
  }
}

/** Removes the byte-order mark of Windows editors, which `JSON.parse` refuses. `trim` removes it too. */
export function stripMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}

/** Parses a JSON object; `undefined` for anything else. Never throws. */
export function parseObject(text: string): RawObject | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/** Renders a value as JSON for people and files: two spaces for each level, and a line feed at the end. */
export function renderJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/** The problem of a text that is not a JSON object. */
export const notAnObject = 'it is not a JSON object'

/** Selects the members of an object whose values are strings. */
export function selectTexts(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, string] => typeof member[1] === 'string'),
  )
}
