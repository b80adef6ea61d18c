import { type AuditSink, renderAuditEntry, strangersPerSec } from '../sinks/audit-sinks.ts'
import { TokenRefusal, type Verdict } from '../verdict.ts'
import type { Verifier } from '../verifier/verifier.ts'
import { type GatewayQuestion, type RequestSource, toRequestStatement } from './to-request-facts.ts'
import type { AnsweredRequest } from './verifier-listener.ts'

/** Writes a line for each decision; lines about strangers are limited. */
export interface DecisionAudit extends Pick<AuditSink, 'lost' | 'isFailing'> {
  record(answered: AnsweredRequest): void
  /** Writes the number of omitted lines about strangers. */
  close(): void
}

/**
 * Starts an audit of every decision about a known caller, and of the first {@link strangersPerSec} decisions a second about strangers.
 * Further decisions about strangers are only counted, so that a flood of them does not fill the sink.
 * @param tenant The tenant that each line names; absent without tenants.
 */
export function startDecisionAudit(
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

/** Renders one decision, without a token and without a query, because a query may contain a secret; pure. */
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
    ...(question && source && toRequestRecord(question, source)),
    request: requestId,
    gateway_request: gatewayRequestId,
  }
}

/**
 * Returns the request as the gateway describes it. A fact that `--request-from` does not trust is omitted, because the caller could choose
 * it.
 */
function toRequestRecord(question: GatewayQuestion, source: RequestSource): object {
  const { client, method, host, path } = toRequestStatement(question, source)
  const route = path?.split('?', 1)[0]
  const stated = Object.entries({ client, method, host, route })
  return Object.fromEntries(stated.map(([name, text]) => [name, text && toBoundedText(text)]))
}

function toBoundedText(text: string): string {
  return text.length > longestStatedText ? `${text.slice(0, longestStatedText)}…` : text
}

/** In characters: a caller can choose a text as long as all headers together. Our decision. */
export const longestStatedText = 500

/** Refuses every request while the audit cannot be written. These refusals are recorded too, which shows when writing works again. */
export function createAuditGuard(audit: Pick<DecisionAudit, 'isFailing'>): (verdict: Verdict) => Verdict {
  return (verdict) =>
    verdict.outcome === 'accepted' && audit.isFailing()
      ? { outcome: 'refused', refusal: new TokenRefusal('audit-unavailable'), identity: verdict.identity }
      : verdict
}

/** Creates a verifier whose verdicts pass through a guard. */
export function withGuard(verifier: Verifier, guard: (verdict: Verdict) => Verdict): Verifier {
  return {
    find(token, collectFacts) {
      const known = verifier.find(token, collectFacts)
      return known && guard(known)
    },
    verify: async (token, collectFacts, sender) => guard(await verifier.verify(token, collectFacts, sender)),
    state: verifier.state,
  }
}
