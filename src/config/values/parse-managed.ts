import type { ValueRule } from '../field.ts'
import { parseJsonText } from '../read/containers/json.ts'
import { type Parsed, refuse } from './parsed.ts'

/** Turns managed text into the native value it stands for. What is no such text stays as it is, for the rule to judge. */
export function parseManaged(rule: ValueRule, raw: unknown, path: string): Parsed {
  switch (rule.type) {
    case 'boolean':
      return { value: managedBooleans.get(String(raw).toLowerCase()) ?? raw, findings: [] }
    case 'integer':
    case 'number':
      return { value: typeof raw === 'string' && /^-?\d{1,17}$/.test(raw) ? Number(raw) : raw, findings: [] }
    case 'text-list':
    case 'header-map':
    case 'cluster':
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
  const { value, findings } = parseJsonText(text)
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
  return refuse('invalid-value', path, `expected one JSON text, but ${problem.message}`, problem.hint)
}
