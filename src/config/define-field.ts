import type { CredentialKind } from './document.ts'
import type { Field, ValueRule } from './field.ts'

/** The rules that rows of the field table share. */
export const rules = {
  text: { type: 'text' },
  nonEmpty: { type: 'text', minLength: 1 },
  uri: { type: 'text', format: 'uri' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  choice: (...choices: string[]) => ({ type: 'text', choices }) as const,
  integer: (min: number, max: number) => ({ type: 'integer', min, max }) as const,
} as const

/** One row; its path is relative to the object that holds the field. */
export function defineField(
  path: string,
  flat: string | undefined,
  rule: ValueRule,
  since: string | undefined,
  summary: string,
  details: FieldDetails = {},
): Field {
  return { path, ...(flat && { flat }), rule, ...(since && { since }), availability: 'both', ...details, summary }
}

/** The rows of an object, with their paths below its path. */
export function defineFields(path: string, rows: readonly Field[]): Field[] {
  return rows.map((field) => ({ ...field, path: `${path}.${field.path}` }))
}

/** The rows for one kind of credential. */
export function defineForKind(kind: CredentialKind, rows: readonly Field[]): Field[] {
  return rows.map((field) => ({ ...field, kind }))
}

/** The optional parts of a row. */
type FieldDetails = Omit<Field, 'path' | 'flat' | 'rule' | 'since' | 'summary' | 'availability'>
