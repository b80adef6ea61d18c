import { compareReleases } from '../define-field.ts'
import { type CredentialKind, type Field, textFormats, type ValueRule } from '../field.ts'
import { fields } from '../fields.ts'

/** The conditions that a listed field meets. */
export interface FieldFilter {
  /** Fields of this kind of credential, and fields of every kind. */
  readonly kind?: CredentialKind
  /** Fields that this client release reads. */
  readonly clientVersion?: string
}

/** Lists the rows that match, in the table's order. */
export function listFields({ kind, clientVersion }: FieldFilter): Field[] {
  return fields.filter(
    (field) =>
      (!kind || !field.kind || field.kind === kind) &&
      (!clientVersion || !field.since || compareReleases(field.since, clientVersion) <= 0),
  )
}

/** Describes the values that a rule accepts, for tables and help. */
export function describeRule(rule: ValueRule): string {
  switch (rule.type) {
    case 'text':
      return describeText(rule)
    case 'integer':
      return rule.max === Number.MAX_SAFE_INTEGER
        ? `whole number, ${rule.min} or more`
        : `whole number, ${rule.min} to ${rule.max}`
    case 'number':
      return rule.constant === undefined ? `number above ${rule.above}` : `the number ${rule.constant}`
    case 'boolean':
      return 'true or false'
    case 'text-list':
      return `array of text, each at most ${rule.itemMaxLength} characters, without double quote, percent sign or control character`
    case 'header-map':
      return 'object of text'
    case 'object':
      return 'object'
  }
}

function describeText(rule: ValueRule & { type: 'text' }): string {
  if (rule.choices) return rule.choices.map((choice) => `\`${choice}\``).join(' or ')
  if (rule.format) return textFormats[rule.format].title
  return rule.minLength ? 'text, not empty' : 'text'
}
