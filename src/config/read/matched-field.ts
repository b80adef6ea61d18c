import type { Field } from '../field.ts'
import type { Finding } from '../finding.ts'
import type { Encoding } from '../values/parse-value.ts'

/** A raw value with the row it belongs to. */
export interface MatchedField {
  readonly field: Field
  readonly raw: unknown
  /** How the file spells it. */
  readonly path: string
  readonly encoding: Encoding
  /** The row of the deprecated spelling that the file uses. */
  readonly spelledAs?: Field
}

/** A key outside the specification, with its value, to be written back by a conversion to the same shape. */
export interface UnknownKeys {
  /** Keys from the top of the document to the value. */
  readonly keys: readonly string[]
  readonly value: unknown
}

/** What a shape's reader makes of the raw entries. */
export interface FieldMatches {
  readonly placed: readonly MatchedField[]
  /** Fields of credential kinds that the document does not use. */
  readonly unused: readonly MatchedField[]
  readonly kept: readonly UnknownKeys[]
  readonly findings: readonly Finding[]
}

export const noMatches: FieldMatches = { placed: [], unused: [], kept: [], findings: [] }

export function mergeMatches(parts: readonly FieldMatches[]): FieldMatches {
  return {
    placed: parts.flatMap((part) => part.placed),
    unused: parts.flatMap((part) => part.unused),
    kept: parts.flatMap((part) => part.kept),
    findings: parts.flatMap((part) => part.findings),
  }
}
