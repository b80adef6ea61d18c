import { isRecord } from '../../runtime/json/json-value.ts'
import type { ValueRule } from '../field.ts'
import { parseManaged } from './parse-managed.ts'
import { accept, type Parsed, reject, rejectType } from './parsed.ts'
import { validateHeaders, validateList } from './validate-collection.ts'

/** `managed`: every value is text, as management tools write it, or a number from a registry. */
export type Encoding = 'native' | 'managed'

/** A URL that a client can use: the source of a regular expression for every `uri` field, as JSON Schema requires it. */
export const urlPattern = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\]+$'

/** Parses one raw value by its field's rule. `path` is how the file spells the field. */
export function parseValue(rule: ValueRule, raw: unknown, encoding: Encoding, path: string): Parsed {
  const native = encoding === 'managed' ? parseManaged(rule, raw, path) : { value: raw, findings: [] }
  if (native.value === undefined) return native
  const validated = validateNative(rule, native.value, path)
  return { value: validated.value, findings: [...native.findings, ...validated.findings] }
}

function validateNative(rule: ValueRule, value: unknown, path: string): Parsed {
  switch (rule.type) {
    case 'text':
      return validateText(rule, value, path)
    case 'integer':
    case 'number':
      return validateNumber(rule, value, path)
    case 'boolean':
      return typeof value === 'boolean' ? accept(value) : rejectType('true or false', value, path)
    case 'text-list':
      return validateList(rule, value, path)
    case 'header-map':
      return validateHeaders(value, path)
    case 'object':
      return isRecord(value) ? accept(value) : rejectType('an object', value, path)
  }
}

function validateText(rule: ValueRule & { type: 'text' }, value: unknown, path: string): Parsed {
  if (typeof value !== 'string') return rejectType('text', value, path)
  if (value.length < (rule.minLength ?? 0))
    return reject('invalid-value', path, 'it is empty', 'set it, or remove the field')
  if (rule.choices && !rule.choices.includes(value)) {
    const choices = rule.choices.map((choice) => `"${choice}"`).join(', ')
    return reject(
      'invalid-value',
      path,
      'the client does not know this value',
      `use ${rule.choices.length > 1 ? 'one of ' : ''}${choices}`,
    )
  }
  if (rule.pattern && !new RegExp(rule.pattern).test(value)) {
    return reject(
      'invalid-value',
      path,
      'it does not begin with a drive letter, a colon and a slash or backslash',
      'write the full path, such as C:\\Program Files\\Gatepass\\helper.exe',
    )
  }
  if (rule.format === 'uri' && !(new RegExp(urlPattern).test(value) && URL.canParse(value))) {
    return reject('invalid-value', path, 'it is not a URL', 'write the full URL, beginning with https://')
  }
  return accept(value)
}

function validateNumber(rule: ValueRule & { type: 'integer' | 'number' }, value: unknown, path: string): Parsed {
  if (typeof value !== 'number' || (rule.type === 'integer' && Number.isFinite(value) && !Number.isInteger(value))) {
    return rejectType(rule.type === 'integer' ? 'a whole number' : 'a number', value, path)
  }
  const problem = rule.type === 'integer' ? integerProblem(rule, value) : numberProblem(rule, value)
  return problem === undefined
    ? accept(value)
    : reject('out-of-range', path, `expected ${problem}`, `set ${problem}, or remove the field`)
}

function integerProblem({ min, max }: { min: number; max: number }, value: number): string | undefined {
  return value >= min && value <= max ? undefined : `a whole number from ${min} to ${max}`
}

function numberProblem({ above, constant }: { above?: number; constant?: number }, value: number): string | undefined {
  if (constant !== undefined) return value === constant ? undefined : `the number ${constant}`
  return Number.isFinite(value) && (above === undefined || value > above) ? undefined : `a number above ${above}`
}
