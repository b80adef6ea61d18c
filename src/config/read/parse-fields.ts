import type { ConfigDocument } from '../document.ts'
import { toExpiryMs } from '../expiry.ts'
import type { Field } from '../field.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import { parseValue } from '../values/parse-value.ts'
import { findUrlProblem, type Served } from '../values/validate-url.ts'
import type { MatchedField } from './matched-field.ts'

/** A valid value with its row of the field table, and the field's path or key as the file spells it. */
export interface FieldValue {
  readonly field: Field
  readonly value: unknown
  readonly path: string
  /** The row of the deprecated spelling that the file uses. */
  readonly spelledAs?: Field
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
  const { field, raw, path, encoding, spelledAs } = match
  const { value, findings } = parseValue(field.rule, raw, encoding, path)
  if (value === undefined)
    return { findings: field.fallsBackToDefault ? [reportDefault(field, path, findings[0])] : findings }
  const urlProblem = isUrl(field) ? findUrlProblem(field, value as string, path, served) : undefined
  if (urlProblem) return { findings: [urlProblem] }
  return { value: { field, value, path, ...(spelledAs && { spelledAs }) }, findings }
}

function isUrl({ rule }: Field): boolean {
  return rule.type === 'text' && rule.format === 'uri'
}

function reportDefault(field: Field, path: string, problem: Finding | undefined): Finding {
  return createFinding(
    'silent-refresh-unreadable',
    path,
    `${problem?.message}; its default, ${field.default}, applies`,
    problem?.hint ?? '',
  )
}

/** The document that holds these values. */
export function buildDocument(values: readonly FieldValue[]): ConfigDocument {
  const document: Tree = {}
  for (const { field, value } of values) {
    if (field.path === '$schemaVersion') continue
    const keys = field.path.split('.')
    const name = keys.pop()!
    const parent = keys.reduce(descend, document)
    // An object's own fields are values too, and follow it.
    if (field.rule.type === 'object') parent[name] = {}
    else parent[name] = field.path === 'expiresAt' ? toExpiryMs(value as number) : value
  }
  // Every value has passed the rule of its row, and the rows describe the type.
  return document as ConfigDocument
}

type Tree = Record<string, unknown>

function descend(node: Tree, key: string): Tree {
  node[key] ??= {}
  return node[key] as Tree
}
