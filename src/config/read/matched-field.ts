import type { Field } from '../field.ts'
import type { Finding } from '../finding.ts'
import type { Encoding } from '../values/parse-value.ts'

/** A raw value with its row of the field table. */
export interface MatchedField {
  readonly field: Field
  readonly raw: unknown
  /** The field's path or key as the file spells it. */
  readonly path: string
  readonly encoding: Encoding
  /** The row of the deprecated spelling that the file uses. */
  readonly spelledAs?: Field
}

/** A value whose key is in no row of the field table; a conversion to the same form writes it back. */
export interface UnknownKeys {
  /** The keys from the top of the document down to the value. */
  readonly keys: readonly string[]
  readonly value: unknown
}

/** The raw entries of a document by what is known of them. */
export interface FieldMatches {
  readonly matched: readonly MatchedField[]
  /** Fields of credential kinds that the document does not use. */
  readonly unused: readonly MatchedField[]
  readonly unknownKeys: readonly UnknownKeys[]
  readonly findings: readonly Finding[]
}

/** The matches of no entries. */
export const noMatches: FieldMatches = { matched: [], unused: [], unknownKeys: [], findings: [] }

/** All matches of several parts, in their order. */
export function mergeMatches(parts: readonly FieldMatches[]): FieldMatches {
  return {
    matched: parts.flatMap((part) => part.matched),
    unused: parts.flatMap((part) => part.unused),
    unknownKeys: parts.flatMap((part) => part.unknownKeys),
    findings: parts.flatMap((part) => part.findings),
  }
}
