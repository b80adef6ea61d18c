import type { ValueRule } from '../field.ts'
import { isRecord } from '../raw.ts'
import { parseManaged } from './parse-managed.ts'
import { accept, type Parsed, refuse, refuseType } from './parsed.ts'
import { validateHeaders, validateList } from './validate-collection.ts'

/** `managed`: every value is text, as management tools write it; numbers come from a registry. */
export type Encoding = 'native' | 'managed'

/** A URL that a client can use; the rule of every `uri` field, in the form that JSON Schema wants. */
export const urlPattern = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\]+$'

/** Judges one raw value by its field's rule. `path` is how the file spells the field. */
export function parseValue(rule: ValueRule, raw: unknown, encoding: Encoding, path: string): Parsed {
  const native = encoding === 'managed' ? parseManaged(rule, raw, path) : { value: raw, findings: [] }
  if (native.value === undefined) return native
  const judged = judge(rule, native.value, path)
  return { value: judged.value, findings: [...native.findings, ...judged.findings] }
}

function judge(rule: ValueRule, value: unknown, path: string): Parsed {
  switch (rule.type) {
    case 'text':
      return validateText(rule, value, path)
    case 'integer':
    case 'number':
      return validateNumber(rule, value, path)
    case 'boolean':
      return typeof value === 'boolean' ? accept(value) : refuseType('true or false', value, path)
    case 'text-list':
      return validateList(rule, value, path)
    case 'header-map':
      return validateHeaders(value, path)
    case 'cluster':
      return isRecord(value) ? accept(value) : refuseType('an object', value, path)
  }
}

function validateText(rule: ValueRule & { type: 'text' }, value: unknown, path: string): Parsed {
  if (typeof value !== 'string') return refuseType('text', value, path)
  if (value.length < (rule.minLength ?? 0))
    return refuse('invalid-value', path, 'it is empty', 'set it, or remove the field')
  if (rule.choices && !rule.choices.includes(value)) {
    const choices = rule.choices.map((choice) => `"${choice}"`).join(', ')
    return refuse(
      'invalid-value',
      path,
      'it is none of the values that the client knows',
      `use ${rule.choices.length > 1 ? 'one of ' : ''}${choices}`,
    )
  }
  if (rule.pattern && !new RegExp(rule.pattern).test(value)) {
    return refuse(
      'invalid-value',
      path,
      'it does not begin with a drive letter, a colon and a slash or backslash',
      'write the full path, such as C:\\Program Files\\Gatepass\\helper.exe',
    )
  }
  if (rule.format === 'uri' && !(new RegExp(urlPattern).test(value) && URL.canParse(value))) {
    return refuse('invalid-value', path, 'it is not a URL', 'write the full URL, beginning with https://')
  }
  return accept(value)
}

function validateNumber(rule: ValueRule & { type: 'integer' | 'number' }, value: unknown, path: string): Parsed {
  if (typeof value !== 'number' || (rule.type === 'integer' && Number.isFinite(value) && !Number.isInteger(value))) {
    return refuseType(rule.type === 'integer' ? 'a whole number' : 'a number', value, path)
  }
  const problem = rule.type === 'integer' ? integerProblem(rule, value) : numberProblem(rule, value)
  return problem === undefined
    ? accept(value)
    : refuse('out-of-range', path, `expected ${problem}`, `set ${problem}, or remove the field`)
}

function integerProblem({ min, max }: { min: number; max: number }, value: number): string | undefined {
  return value >= min && value <= max ? undefined : `a whole number from ${min} to ${max}`
}

function numberProblem({ above, constant }: { above?: number; constant?: number }, value: number): string | undefined {
  if (constant !== undefined) return value === constant ? undefined : `the number ${constant}`
  return Number.isFinite(value) && (above === undefined || value > above) ? undefined : `a number above ${above}`
}
