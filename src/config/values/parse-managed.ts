import type { ValueRule } from '../field.ts'
import { parseJsonValue } from '../read/containers/json.ts'
import { type Parsed, reject } from './parsed.ts'

/** Parses managed text into the native value that it represents. Any other value stays unchanged, for the rule to validate. */
export function parseManaged(rule: ValueRule, raw: unknown, path: string): Parsed {
  switch (rule.type) {
    case 'boolean':
      return { value: managedBooleans.get(String(raw).toLowerCase()) ?? raw, findings: [] }
    case 'integer':
    case 'number':
      return { value: typeof raw === 'string' && /^-?\d{1,17}$/.test(raw) ? Number(raw) : raw, findings: [] }
    case 'text-list':
    case 'header-map':
    case 'object':
      return typeof raw === 'string' ? parseInnerJson(raw, path) : { value: raw, findings: [] }
    case 'text':
      return { value: raw, findings: [] }
  }
}

const managedBooleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

function parseInnerJson(text: string, path: string): Parsed {
  const { value, findings } = parseJsonValue(text)
  if (value !== undefined) {
    return {
      value,
      findings: findings.map((inner) => ({
        ...inner,
        path: inner.path.startsWith('[') ? `${path}${inner.path}` : `${path}.${inner.path}`,
      })),
    }
  }
  const problem = findings[0]!
  return reject('invalid-value', path, `expected one JSON text, but ${problem.message}`, problem.hint)
}
