import { build } from 'plist'
import { renderJson } from '../../../runtime/values/json-value.ts'
import { vendor } from '../../../vendor.ts'
import { type Field, findFlatKey, textFormats } from '../../field.ts'
import { fields, flatKeys } from '../../fields.ts'
import { describeRule } from '../list-fields.ts'

/**
 * Renders a manifest for "Application & Custom Settings" of Jamf Pro: JSON Schema, with `property_order` and `options` for its form (Jamf's
 * paper "JSON Schema Manifest Structure"). Every known key is a field of the form; the values of the document are filled in and required.
 * All values are texts, as in managed preferences.
 */
export function renderJamfManifest(entries: Readonly<Record<string, string>>): string {
  const names = [...new Set([...flatKeys, ...Object.keys(entries)])]
  const properties = names.map((name, index) => [name, toProperty(name, entries[name], index + 1)] as const)
  const manifest = {
    title: `${vendor.name} desktop (${vendor.macosPayloadType})`,
    description: `Settings of the ${vendor.name} desktop client, in the preference domain ${vendor.macosPayloadType}.`,
    type: 'object',
    required: Object.keys(entries),
    properties: Object.fromEntries(properties),
  }
  return renderJson(manifest)
}

/** One property of a manifest: what Jamf Pro shows as a field of its form. */
type Property = Readonly<Record<string, unknown>>

function toProperty(name: string, value: string | undefined, order: number): Property {
  const rows = fields.filter((field) => findFlatKey(field) === name)
  const row = rows.find(({ flat }) => flat === name)
  return {
    type: 'string',
    title: name,
    description: row ? describe(row) : 'A key that gatepass does not know, from the document.',
    ...(row && toPropertyRule(row, rows)),
    default: value,
    property_order: order,
  }
}

function describe({ summary, since, rule }: Field): string {
  const form = isJson(rule.type) ? ', as JSON in one text' : ''
  return `${summary} Value: ${describeRule(rule)}${form}.${since ? ` Read since client release ${since}.` : ''}`
}

function isJson(type: Field['rule']['type']): boolean {
  return type === 'object' || type === 'text-list' || type === 'header-map'
}

/**
 * Converts the rule of a key. Rows of several kinds of credential may share a key, so the manifest requires only what they have in common.
 */
function toPropertyRule({ rule }: Field, rows: readonly Field[]): Property {
  if (rows.some((other) => other.rule.type !== rule.type)) return {}
  if (rule.type === 'boolean') return { enum: ['true', 'false'] }
  if (rule.type === 'integer') return { pattern: '^[0-9]+$' }
  if (rule.type !== 'text') return {}
  const choices = rows.flatMap((other) => (other.rule.type === 'text' ? (other.rule.choices ?? []) : []))
  if (choices.length > 0) return { enum: [...new Set(choices)] }
  return rule.format ? { pattern: textFormats[rule.format].pattern } : {}
}

/** Renders managed preferences as a plain property list, which management systems install under a preference domain. */
export function renderPreferences(entries: Readonly<Record<string, string>>): string {
  return `${build({ ...entries })}\n`
}
