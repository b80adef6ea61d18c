// Sends one identity token to the platform, once; `exchange-once.ts` keeps it from being sent twice.

import { ApiError } from '../../api/api-error.ts'
import { type ExchangedToken, exchangeToken } from '../../api/token-exchange.ts'
import type { NetworkCall } from '../../helper/define-helper.ts'
import { clockHint, HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { isRedirectStatus, toBusyFailure, toRedirectFailure } from '../../runtime/network/network-failure.ts'
import { type AttemptOutcome, isTransient, isUnsent } from '../../runtime/network/retry-policy.ts'
import type { Secret } from '../../runtime/secret.ts'
import { quoteForeign } from '../../runtime/text/quote.ts'
import type { Jwt } from '../../runtime/tokens/jwt.ts'
import { describeSkew, type RequestTimes, toClockOffset } from '../clock-offset.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import type { ExchangeTarget } from './exchange-target.ts'

/** An identity token that has passed the local checks and may be sent (RFC 7523, section 2.1). */
export interface Assertion {
  readonly token: Secret
  readonly jwt: Jwt
  /** See `AssertionResult`. */
  readonly issuerAheadMs: number
  /** When an earlier run sent the token without learning the result, in milliseconds since the epoch. */
  readonly sentBefore?: number | undefined
}

/** An access token, and the clock offset that the exchange has shown. */
export interface Exchanged {
  readonly token: ExchangedToken
  /** When the request was sent, in epoch milliseconds by this machine's clock. */
  readonly sentAt: number
  /** The offset of the platform's clock; see `toClockOffset`. */
  readonly clockOffsetMs: number
  /** See `describeSkew`. */
  readonly skew: string | undefined
}

/** A failed exchange, and what another attempt may send. */
export interface Failed {
  readonly failure: HelperError
  /**
   * The assertion for another attempt: `same` only if nothing has left this machine, because an assertion may be valid for one use; after a
   * refusal a fresh one, once.
   */
  readonly again: 'same' | 'fresh' | 'fresh once' | 'never'
  /** The outcome of the request, which decides the pause before another attempt; `undefined` if no pause is needed. */
  readonly outcome: AttemptOutcome | undefined
}

/** Exchanges an identity token, in one attempt. @throws {HelperError} `late` */
export async function exchangeAssertion(
  { token: assertion, jwt, issuerAheadMs, sentBefore }: Assertion,
  source: IdentitySource,
  target: ExchangeTarget,
  { host, call }: { host: Pick<Host, 'clock'>; call: NetworkCall },
): Promise<Exchanged | Failed> {
  let stage = 'connecting'
  let answer: Response | undefined
  const context = {
    baseUrl: target.baseUrl,
    network: call.network,
    report: (next: string) => {
      stage = next
    },
    onAnswer: (received: Response) => {
      answer = received
    },
  }
  const sentAt = host.clock.now()
  const compareClocks = () => {
    const clockOffsetMs = computeClockOffset(answer, { sentAt, receivedAt: host.clock.now() })
    const skew = describeSkew(clockOffsetMs, "the platform's") ?? describeSkew(issuerAheadMs, "the identity provider's")
    return { clockOffsetMs, skew }
  }
  try {
    const token = await call.deadline.during(
      'network',
      () => `the token exchange at ${target.host} (${stage})`,
      ({ signal }) => exchangeToken({ ...target, assertion }, { ...context, signal }),
    )
    return { token, sentAt, ...compareClocks() }
  } catch (error) {
    if (!(error instanceof HelperError) || error.kind === 'late') throw error
    const { skew } = compareClocks()
    const sent = { jwt, source, target, assertion, skew, sentBefore }
    const failure = error instanceof ApiError ? describeRefusal(error, sent) : error
    return { failure, ...chooseRetry(error, answer ? { response: answer } : { error }) }
  }
}

function computeClockOffset(answer: Response | undefined, times: RequestTimes): number {
  if (!answer) return 0
  return toClockOffset(answer.headers, times)
}

/** An exchange that the platform refused. */
interface RefusedExchange {
  readonly jwt: Jwt
  readonly source: Pick<IdentitySource, 'token'>
  readonly target: Pick<ExchangeTarget, 'host' | 'federationRuleId'>
  readonly assertion: Secret
  /** See `describeSkew`. */
  readonly skew: string | undefined
  /** See `Assertion`. */
  readonly sentBefore?: number | undefined
}

function chooseRetry(error: HelperError, outcome: AttemptOutcome): Omit<Failed, 'failure'> {
  if (isTransient(outcome)) {
    const isSent = 'response' in outcome || !isUnsent(outcome.error)
    return { again: isSent ? 'fresh' : 'same', outcome }
  }
  // The refused assertion may have been used before or be too old, so a new one may be accepted.
  const again = error instanceof ApiError && isRefusedAssertion(error) ? 'fresh once' : 'never'
  return { again, outcome: undefined }
}

/** Describes a refused exchange. Only the status, the code and the request id of the answer are repeated. */
export function describeRefusal(error: ApiError, exchange: RefusedExchange): HelperError {
  const { status } = error
  const { host } = exchange.target
  const answer = describeAnswer(error, exchange.assertion)
  if (isRedirectStatus(status))
    return toRedirectFailure(
      `${host} answered the token exchange`,
      answer,
      "set base-url to the platform's own address",
    )
  if (error.kind === 'unavailable') return toBusyFailure(host, answer)
  const message = `${host} did not exchange ${exchange.source.token} (${answer})`
  const { skew } = exchange
  if (skew !== undefined) return new HelperError('refused', `${message}; ${skew}`, clockHint)
  const { sentBefore } = exchange
  if (sentBefore !== undefined && isRefusedAssertion(error))
    return new HelperError(
      'refused',
      `${message}; a run that was killed, or got no answer, at ${new Date(sentBefore).toISOString()} may have used it`,
      `wait for a fresh one, which is due by ${new Date(Number(exchange.jwt.claims.exp) * 1000).toISOString()}; if that is refused too, ${describeFix(error, exchange)}`,
    )
  return new HelperError('refused', message, describeFix(error, exchange))
}

/**
 * Renders the code of an answer. A server may send any text, so it is repeated only if it looks like a code and is not part of what was
 * sent.
 */
function describeAnswer({ status, type, requestId }: ApiError, assertion: Secret): string {
  const repeatable = (text: string | undefined) =>
    text !== undefined && /^[\w-]{1,64}$/.test(text) && !assertion.reveal().includes(text) ? text : undefined
  const code = repeatable(type)
  const request = repeatable(requestId)
  return `HTTP ${status}${code ? ` ${code}` : ''}${request ? `, request ${request}` : ''}`
}

function describeFix(error: ApiError, { jwt, target }: RefusedExchange): string {
  if (!isRefusedAssertion(error)) return 'check base-url, organization, federation-rule, service-account and workspace'
  const { iss, sub, aud } = jwt.claims
  const claims = `issuer ${quoteForeign(iss)}, subject ${quoteForeign(sub)} and audience ${[aud].flat().map(quoteForeign).join(', ')}`
  return `have the federation rule ${target.federationRuleId} accept ${claims}, and check organization, service-account and workspace; a token that was exchanged before may have to be renewed first`
}

/** Returns whether the platform refused the assertion itself (RFC 6749, section 5.2, `invalid_grant`) rather than the request. */
function isRefusedAssertion({ type, status }: ApiError): boolean {
  return type === 'invalid_grant' || status === 401
}
