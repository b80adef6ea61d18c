import type { PolicyEvent } from '../../../verify/policy/file/policy-follower.ts'
import { describePolicyErrors } from '../../../verify/policy/file/require-policy.ts'
import type { LogEntry } from '../../../verify/server/log.ts'

/** What happened to the file of the policy, as a line of the log; pure. */
export function describePolicyEvent(path: string, { kind, digest, ...event }: PolicyEvent): LogEntry {
  const facts = { policy: digest.slice(0, 12) }
  const findings = 'findings' in event ? event.findings : []
  switch (kind) {
    case 'loaded':
    case 'replaced': {
      const warnings = findings.filter(({ severity }) => severity === 'warning').length
      const message = kind === 'loaded' ? `${path} is in force` : `${path} has changed and is in force`
      return { level: 'info', event: 'policy', message, facts: { ...facts, warnings: warnings || undefined } }
    }
    case 'recovered':
      return { level: 'info', event: 'policy', message: `${path} is again what is in force`, facts }
    case 'kept': {
      const message = `${path} cannot be used, and the earlier policy stays in force: ${describePolicyErrors(findings)}`
      return { level: 'error', event: 'policy-refused', message, facts }
    }
  }
}
