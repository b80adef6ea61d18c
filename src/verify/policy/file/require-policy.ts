import { HelperError } from '../../../runtime/failure.ts'
import type { PolicyFinding } from '../finding.ts'
import type { Policy } from '../policy.ts'
import type { PolicyReading } from '../read/parse-policy.ts'

/**
 * The policy that was read.
 * @throws {HelperError} `not-configured` where it is wrong.
 */
export function requirePolicy(path: string, { policy, findings }: PolicyReading): Policy {
  if (policy) return policy
  const [first, ...others] = findings.filter(({ severity }) => severity === 'error')
  const isOfFile = first?.path === '' && others.length === 0
  throw new HelperError(
    'not-configured',
    `the policy ${path} cannot be used: ${describePolicyErrors(findings)}`,
    // A check would say no more of a file that is missing, or that others can write.
    isOfFile && first.hint
      ? first.hint
      : `see everything that is wrong: gatepass gateway policy check --here '${path}'`,
  )
}

/** The errors among findings as one line, the first of them in words. */
export function describePolicyErrors(findings: readonly PolicyFinding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const shown = errors.slice(0, 3).map((row) => (row.path === '' ? row.message : `${row.path}: ${row.message}`))
  const more = errors.length > shown.length ? `; and ${errors.length - shown.length} more` : ''
  return `${shown.join('; ')}${more}`
}
