import { refusalReasons } from '../../contract/refusal-reasons.ts'
import type { AnsweredRequest } from './gateway/verifier-listener.ts'
import type { LogEntry } from './log.ts'

/** The line of the log about one answer. It names who was let pass, so that is written only where it is asked for; pure. */
export function describeAnswer({ verdict, requestId }: AnsweredRequest): LogEntry {
  if (verdict.outcome === 'accepted') {
    const { rule, identity } = verdict
    const { issuer, subject } = identity
    return { level: 'info', event: 'accepted', message: 'the token passes', facts: { rule, issuer, subject } }
  }
  const { reason, detail, note } = verdict.refusal
  const { status, summary } = refusalReasons[reason]
  const level = status === 500 ? 'error' : 'warning'
  return { level, event: 'refused', message: summary, facts: { status, reason, detail, note, request: requestId } }
}
