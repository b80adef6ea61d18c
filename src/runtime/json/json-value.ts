/** An object as a file holds it, with values of any type. */
export type RawObject = Readonly<Record<string, unknown>>

/** Whether a value is an object with keys: no array, no date, no binary data. */
export function isRecord(value: unknown): value is RawObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !ArrayBuffer.isView(value)
  )
}

/** The type of a value in words, for messages that must not show the value. */
export function describeType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (value instanceof Date) return 'a date'
  if (ArrayBuffer.isView(value)) return 'binary data'
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a number'
  return typeof value === 'boolean' ? 'true or false' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
