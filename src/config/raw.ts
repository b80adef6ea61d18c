import type { Finding } from './finding.ts'

/** An object as a container holds it, with values of any type. */
export type RawObject = Readonly<Record<string, unknown>>

/** The content of a container, before its fields are parsed. `entries` is `undefined` when it is unreadable. */
export interface Raw {
  readonly entries: RawObject | undefined
  readonly findings: readonly Finding[]
  /** Absent where the container has no lines, or is unreadable. */
  readonly positions?: Positions
}

/** Where a value begins in the text of its file; both count from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Where values begin, by their path as findings spell it. */
export type Positions = ReadonlyMap<string, Position>

/** The positions of a form that has no lines, or of a file that cannot be read. */
export const noPositions: Positions = new Map()

/** Adds to each finding where it is: at its own path, or at the nearest object around it. */
export function locateFindings(findings: readonly Finding[], positions: Positions): Finding[] {
  return findings.map((row) => (row.line === undefined ? { ...row, ...findPosition(row.path, positions) } : row))
}

function findPosition(path: string, positions: Positions): Position | undefined {
  const found = positions.get(path)
  const outer = path.replace(/(\.?[$\w-]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])$/, '')
  return found || outer === path ? found : findPosition(outer, positions)
}

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
