import { limits } from '../../contract/limits.ts'
import { credentialKinds, type Field, textFormats, toFieldName, toParentPath, type ValueRule } from '../field.ts'
import { fields } from '../fields.ts'

/** Creates a JSON Schema (2020-12) of the nested form, for editors. Misspelled names are errors; other clusters are not checked. */
export function createJsonSchema(): Schema {
  const top = toFieldsSchema(fields.filter((field) => toParentPath(field) === ''))
  const pointer = { type: 'string', description: 'Where an editor finds this schema.' }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Client configuration document',
    ...top,
    properties: { $schema: pointer, ...top.properties },
    additionalProperties: { type: 'object' },
  }
}

type Schema = Readonly<Record<string, unknown>>

function toFieldsSchema(rows: readonly Field[]): Schema & { readonly properties: Schema } {
  const required = rows.filter((row) => row.required && row.path !== 'inference.baseUrl').map(toFieldName)
  return {
    type: 'object',
    properties: Object.fromEntries(rows.map((row) => [toFieldName(row), toFieldSchema(row)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function toFieldSchema(field: Field): Schema {
  const since = field.since ? ` Read since client release ${field.since}.` : ''
  return {
    description: `${field.summary}${since}`,
    ...(field.default !== undefined && { default: field.default }),
    ...(field.secret && { writeOnly: true }),
    ...(field.rule.type === 'object' ? toObjectSchema(field) : toRuleSchema(field.rule)),
    ...(field.required && field.rule.type === 'text' && { minLength: 1 }),
  }
}

function toObjectSchema(field: Field): Schema {
  const inner = fields.filter((row) => toParentPath(row) === field.path && (!field.kind || row.kind === field.kind))
  if (inner.some((row) => row.kind !== field.kind))
    return { type: 'object', required: ['kind'], oneOf: credentialKinds.map((kind) => toVariantSchema(kind, inner)) }
  return { ...toFieldsSchema(inner), ...constraints[toFieldName(field)] }
}

function toRuleSchema(rule: ValueRule): Schema {
  switch (rule.type) {
    case 'text':
      return {
        type: 'string',
        ...(rule.minLength && { minLength: rule.minLength }),
        ...(rule.choices && { enum: rule.choices }),
        ...(rule.format === 'uri' && { format: 'uri' }),
        ...(rule.format && { pattern: textFormats[rule.format].pattern }),
      }
    case 'integer':
      return { type: 'integer', minimum: rule.min, maximum: rule.max }
    case 'number':
      return rule.constant === undefined ? { type: 'number', exclusiveMinimum: rule.above } : { const: rule.constant }
    case 'boolean':
      return { type: 'boolean' }
    case 'text-list':
      return { type: 'array', items: { type: 'string', maxLength: rule.itemMaxLength, pattern: rule.itemPattern } }
    case 'header-map':
      return {
        type: 'object',
        maxProperties: limits.headers,
        additionalProperties: { type: 'string', maxLength: limits.headerValueBytes },
      }
    case 'object':
      return { type: 'object' }
  }
}

function toVariantSchema(kind: string, inner: readonly Field[]): Schema {
  const rows = inner.filter((row) => !row.kind || row.kind === kind)
  const { properties, ...rest } = toFieldsSchema(rows)
  return { ...rest, properties: { ...properties, kind: { const: kind } }, ...constraints[kind] }
}

/** Constraints between fields, by the name of the object that holds them or by the kind. */
const constraints: Readonly<Record<string, Schema>> = {
  inference: { dependentRequired: { provider: ['baseUrl'] } },
  'helper-script': { anyOf: [{ required: ['command'] }, { required: ['commandWindows'] }] },
  oidc: {
    anyOf: [{ required: ['issuer'] }, { required: ['authorizationUrl', 'tokenUrl'] }],
    if: { properties: { bearerTokenType: { const: 'access_token' } }, required: ['bearerTokenType'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['scopes'] },
  },
}
