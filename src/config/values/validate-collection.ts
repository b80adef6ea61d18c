import { findHeaderProblem, findHeaderProblems } from '../../contract/headers.ts'
import type { ValueRule } from '../field.ts'
import type { Finding } from '../finding.ts'
import { finding, joinPath } from '../finding.ts'
import { isRecord } from '../raw.ts'
import { accept, type Parsed, refuse, refuseType } from './parsed.ts'

/** One bad argument spoils the list: without it the others would mean something else. */
export function validateList(rule: ValueRule & { type: 'text-list' }, value: unknown, path: string): Parsed {
  if (!Array.isArray(value)) return refuseType('an array of text', value, path)
  const allowed = new RegExp(rule.itemPattern)
  for (const [index, item] of value.entries()) {
    const at = `${path}[${index}]`
    if (typeof item !== 'string') return refuseType('text', item, at)
    if (item.length > rule.itemMaxLength)
      return refuse(
        'out-of-range',
        at,
        `it is longer than ${rule.itemMaxLength} characters`,
        'put long values in a file that the helper reads',
      )
    if (!allowed.test(item))
      return refuse(
        'invalid-value',
        at,
        'it has a double quote, a percent sign or a control character',
        "remove that character, or set the option in the helper's own configuration file",
      )
  }
  return accept(value)
}

/** Headers are judged one by one: each is of use without the others. */
export function validateHeaders(value: unknown, path: string): Parsed {
  if (!isRecord(value)) return refuseType('an object', value, path)
  const findings: Finding[] = []
  const good = Object.entries(value).filter(([name, text]) => {
    const at = joinPath(path, name)
    if (typeof text !== 'string') findings.push(...refuseType('text', text, at).findings)
    const problem = typeof text === 'string' ? findHeaderProblem(name, text) : undefined
    if (problem)
      findings.push(
        finding(
          'header-refused',
          at,
          problem,
          'remove it: these headers are for routing, credentials come from the credential source',
        ),
      )
    return typeof text === 'string' && problem === undefined
  })
  const together = findHeaderProblems(good as [string, string][])
  findings.push(
    ...together.map((problem) =>
      finding('header-refused', path, problem, 'keep one spelling of each, and few of them'),
    ),
  )
  return { value: Object.fromEntries(good), findings }
}
