import { type ConfigDocument, toExpiryMs } from '../document.ts'
import type { Field } from '../field.ts'
import { createFinding, type Finding, type FindingCode } from '../finding.ts'
import { type Encoding, parseValue, type Served, validateUrl } from '../parse-value.ts'
import type { Tree } from '../set-in.ts'

/** A valid value with its row of the field table, and the field's path or key as the file spells it. */
export interface FieldValue {
  readonly field: Field
  readonly value: unknown
  readonly path: string
  /** The row of the deprecated spelling that the file uses. */
  readonly spelledAs?: Field
  /** Set if the file does not have the value, because other fields imply it. */
  readonly isImplied?: true
}

/** Parses every matched value by the rule of its field. An invalid value is dropped alone, with a finding. */
export function parseFields(
  matched: readonly MatchedField[],
  served: Served | undefined,
): { values: FieldValue[]; findings: Finding[] } {
  const results = matched.map((match) => parseField(match, served))
  return { values: results.flatMap(({ value }) => value ?? []), findings: results.flatMap(({ findings }) => findings) }
}

function parseField(
  match: MatchedField,
  served: Served | undefined,
): { value?: FieldValue; findings: readonly Finding[] } {
  const { field, raw, path, encoding, spelledAs, isImplied } = match
  const { value, findings } = parseValue(field.rule, raw, encoding, path)
  if (value === undefined)
    return { findings: field.defaultFinding ? [reportDefault(field.defaultFinding, match, findings[0])] : findings }
  const urlProblem = isUrl(field) ? validateUrl(field, value as string, path, served) : undefined
  if (urlProblem) return { findings: [urlProblem] }
  return { value: { field, value, path, ...(spelledAs && { spelledAs }), ...(isImplied && { isImplied }) }, findings }
}

function reportDefault(code: FindingCode, { field, path }: MatchedField, problem: Finding | undefined): Finding {
  return createFinding(code, path, `${problem?.message}; its default, ${field.default}, applies`, problem?.hint ?? '')
}

function isUrl({ rule }: Field): boolean {
  return rule.type === 'text' && rule.format === 'uri'
}

export function buildDocument(values: readonly FieldValue[]): ConfigDocument {
  const document: Tree = {}
  for (const { field, value } of values) {
    if (field.path === '$schemaVersion') continue
    const keys = field.path.split('.')
    const name = keys.pop()!
    const parent = keys.reduce(addBranch, document)
    // An object's own fields are values too, and follow it.
    if (field.rule.type === 'object') parent[name] = {}
    else parent[name] = field.path === 'expiresAt' ? toExpiryMs(value as number) : value
  }
  // Every value has passed the rule of its row, and the rows describe the type.
  return document as ConfigDocument
}

function addBranch(node: Tree, key: string): Tree {
  node[key] ??= {}
  return node[key] as Tree
}

/** A raw value with its row of the field table. */
export interface MatchedField {
  readonly field: Field
  readonly raw: unknown
  /** The field's path or key as the file spells it. */
  readonly path: string
  readonly encoding: Encoding
  /** See `FieldValue`. */
  readonly spelledAs?: Field
  /** See `FieldValue`. */
  readonly isImplied?: true
}

/** A value whose key is in no row of the field table; a conversion to the same form writes it back. */
export interface UnknownKeys {
  /** The keys from the top of the document down to the value. */
  readonly keys: readonly string[]
  readonly value: unknown
}

/** The raw entries of a document: matched, unused and unknown. */
export interface FieldMatches {
  readonly matched: readonly MatchedField[]
  /** Fields of credential kinds that the document does not use. */
  readonly unused: readonly MatchedField[]
  readonly unknownKeys: readonly UnknownKeys[]
  readonly findings: readonly Finding[]
}

/** The matches of a document without entries, to be filled in where only some parts are known. */
export const noMatches: FieldMatches = { matched: [], unused: [], unknownKeys: [], findings: [] }

/** Joins the matches of several parts, in their order. */
export function mergeMatches(parts: readonly FieldMatches[]): FieldMatches {
  return {
    matched: parts.flatMap((part) => part.matched),
    unused: parts.flatMap((part) => part.unused),
    unknownKeys: parts.flatMap((part) => part.unknownKeys),
    findings: parts.flatMap((part) => part.findings),
  }
}
