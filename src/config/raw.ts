import type { Finding } from './finding.ts'

export type RawObject = Readonly<Record<string, unknown>>

/** What a container holds, before anything is known about fields. `entries` is `undefined` when it is unreadable. */
export interface Raw {
  readonly entries: RawObject | undefined
  readonly findings: readonly Finding[]
}

export function isRecord(value: unknown): value is RawObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !ArrayBuffer.isView(value)
  )
}

/** The type of a value, in words, for a message that must not show the value. */
export function describeType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (value instanceof Date) return 'a date'
  if (ArrayBuffer.isView(value)) return 'binary data'
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a number'
  return typeof value === 'boolean' ? 'true or false' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
