import { type AuditSink, renderAuditEntry, strangersPerSec } from '../sinks/audit-sinks.ts'
import { TokenRefusal, type Verdict } from '../verdict.ts'
import type { Verifier } from '../verifier/verifier.ts'
import { findRequestStatement, type GatewayQuestion, type RequestSource } from './find-request-facts.ts'
import type { AnsweredRequest } from './verifier-listener.ts'

/** Writes a line for each decision, except those about strangers beyond a bound. */
export interface DecisionAudit extends Pick<AuditSink, 'lost' | 'isFailing'> {
  record(answered: AnsweredRequest): void
  /** Writes how many lines about strangers were left out. */
  close(): void
}

/**
 * An audit of every decision about a known caller, and of the first {@link strangersPerSec} about strangers in a second, whose rest is
 * counted: so that nobody's flood fills the sink in place of others.
 * @param tenant Whose decisions they are, for each line; absent where there are no tenants.
 */
export function createDecisionAudit(
  sink: Pick<AuditSink, 'write' | 'lost' | 'isFailing'>,
  now: () => number,
  tenant?: string,
): DecisionAudit {
  const write = (entry: object) => sink.write(renderAuditEntry(tenant === undefined ? entry : { tenant, ...entry }))
  let [second, strangers] = [0, 0]
  const tellOmitted = (time: number) => {
    const count = strangers - strangersPerSec
    if (count > 0) write({ time, audit: 'omitted', count })
    strangers = 0
  }
  return {
    record(answered) {
      const time = now()
      const current = Math.floor(time / 1000)
      if (current !== second) tellOmitted(time)
      second = current
      if (!answered.verdict.identity) strangers += 1
      const isOmitted = !answered.verdict.identity && strangers > strangersPerSec
      if (!isOmitted) write(toDecisionEntry(time, answered))
    },
    lost: () => sink.lost(),
    isFailing: () => sink.isFailing(),
    close: () => tellOmitted(now()),
  }
}

/** Renders one decision, without a token and without a query, which may hold a secret; pure. */
function toDecisionEntry(
  time: number,
  { verdict, requestId, gatewayRequestId, question, source }: AnsweredRequest,
): object {
  const { outcome, identity } = verdict
  const { jti } = identity?.claims ?? {}
  return {
    time,
    audit: 'decision',
    outcome,
    ...(verdict.outcome === 'accepted' ? { rule: verdict.rule } : { reason: verdict.refusal.reason }),
    ...(identity && { issuer: toBoundedText(identity.issuer), subject: toBoundedText(identity.subject) }),
    ...(typeof jti === 'string' && { jti: toBoundedText(jti) }),
    ...(question && source && describeRequest(question, source)),
    request: requestId,
    gateway_request: gatewayRequestId,
  }
}

/** The request as the gateway states it. A caller could choose what `--request-from` does not say to believe, so that it is left out. */
function describeRequest(question: GatewayQuestion, source: RequestSource): object {
  const { client, method, host, path } = findRequestStatement(question, source)
  const route = path?.split('?', 1)[0]
  const stated = Object.entries({ client, method, host, route })
  return Object.fromEntries(stated.map(([name, text]) => [name, text && toBoundedText(text)]))
}

/** A caller may choose a text as long as all headers. */
function toBoundedText(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text
}

/** Lets nobody pass while the audit cannot be written. Its refusals are recorded too, which shows when that works again. */
export function createAuditGuard(audit: Pick<DecisionAudit, 'isFailing'>): (verdict: Verdict) => Verdict {
  return (verdict) =>
    verdict.outcome === 'accepted' && audit.isFailing()
      ? { outcome: 'refused', refusal: new TokenRefusal('audit-unavailable'), identity: verdict.identity }
      : verdict
}

/** A verifier whose callers get the verdicts that a guard makes of its own. */
export function withGuard(verifier: Verifier, guard: (verdict: Verdict) => Verdict): Verifier {
  return {
    find(token, findRequest) {
      const known = verifier.find(token, findRequest)
      return known && guard(known)
    },
    verify: async (token, findRequest, sender) => guard(await verifier.verify(token, findRequest, sender)),
    state: verifier.state,
  }
}
