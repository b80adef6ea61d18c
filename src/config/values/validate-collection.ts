import { findHeaderProblem, findHeaderProblems } from '../../contract/client-headers.ts'
import { isRecord } from '../../runtime/json/json-value.ts'
import { joinPath } from '../../runtime/json/position.ts'
import type { ValueRule } from '../field.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import { accept, type Parsed, reject, rejectType } from './parsed.ts'

/** Rejects the whole list for one bad argument, because the others would mean something else without it. */
export function validateList(rule: ValueRule & { type: 'text-list' }, value: unknown, path: string): Parsed {
  if (!Array.isArray(value)) return rejectType('an array of text', value, path)
  const allowed = new RegExp(rule.itemPattern)
  for (const [index, item] of value.entries()) {
    const at = `${path}[${index}]`
    if (typeof item !== 'string') return rejectType('text', item, at)
    if (item.length > rule.itemMaxLength)
      return reject(
        'out-of-range',
        at,
        `it is longer than ${rule.itemMaxLength} characters`,
        'put long values in a file that the helper reads',
      )
    if (!allowed.test(item))
      return reject(
        'invalid-value',
        at,
        'it has a double quote, a percent sign or a control character',
        "remove that character, or set the option in the helper's own configuration file",
      )
  }
  return accept(value)
}

/** Validates headers one by one, because each is of use without the others. */
export function validateHeaders(value: unknown, path: string): Parsed {
  if (!isRecord(value)) return rejectType('an object', value, path)
  const findings: Finding[] = []
  const good = Object.entries(value).filter(([name, text]) => {
    const at = joinPath(path, name)
    if (typeof text !== 'string') findings.push(...rejectType('text', text, at).findings)
    const problem = typeof text === 'string' ? findHeaderProblem(name, text) : undefined
    if (problem)
      findings.push(
        createFinding(
          'header-refused',
          at,
          problem,
          'remove it: these headers are for routing, credentials come from the credential source',
        ),
      )
    return typeof text === 'string' && problem === undefined
  })
  const problems = findHeaderProblems(good as [string, string][])
  findings.push(
    ...problems.map((problem) =>
      createFinding('header-refused', path, problem, 'keep one spelling of each header, and only the headers you need'),
    ),
  )
  return { value: Object.fromEntries(good), findings }
}
