import type { ApiError } from '../../api/problem/api-error.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { Jwt } from '../../runtime/tokens/jwt.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import type { ExchangeTarget } from './target.ts'

/** What was sent in an exchange that the platform refused. */
interface RefusedExchange {
  readonly jwt: Jwt
  readonly source: Pick<IdentitySource, 'token'>
  readonly target: Pick<ExchangeTarget, 'host' | 'federationRuleId'>
  readonly assertion: Secret
  /** What is wrong with this machine's clock, in words; `undefined` where nothing is. */
  readonly skew: string | undefined
  /** See `Assertion`. */
  readonly sentBefore?: number | undefined
}

/** A refused exchange in words. Of the answer only its status, code and request id are repeated. */
export function describeRefusal(error: ApiError, exchange: RefusedExchange): HelperError {
  const { status } = error
  const { host } = exchange.target
  const answer = describeAnswer(error, exchange.assertion)
  if (status >= 300 && status < 400)
    return new HelperError(
      'unavailable',
      `${host} answered the token exchange with a redirect, which is not followed (${answer})`,
      "set base-url to the platform's own address",
    )
  if (error.kind === 'unavailable')
    return new HelperError('unavailable', `${host} is busy or broken (${answer})`, 'try again in a moment')
  const message = `${host} did not exchange ${exchange.source.token} (${answer})`
  const { skew } = exchange
  if (skew !== undefined) return new HelperError('refused', `${message}; ${skew}`, 'set the clock of this machine')
  const { sentBefore } = exchange
  if (sentBefore !== undefined && isRefusedAssertion(error))
    return new HelperError(
      'refused',
      `${message}; a run that was killed, or got no answer, at ${toDateText(sentBefore)} may have used it`,
      `wait for a fresh one, which is due by ${toDateText(Number(exchange.jwt.claims.exp) * 1000)}; if that is refused too, ${describeFix(error, exchange)}`,
    )
  return new HelperError('refused', message, describeFix(error, exchange))
}

function toDateText(ms: number): string {
  return new Date(ms).toISOString()
}

/** A server may send any text as a code; it is repeated only if it looks like one and is no part of what was sent. */
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
  const claims = `issuer ${quote(iss)}, subject ${quote(sub)} and audience ${[aud].flat().map(quote).join(', ')}`
  return `have the federation rule ${target.federationRuleId} accept ${claims}, and check organization, service-account and workspace; a token that was exchanged before may have to be renewed first`
}

/** Whether the platform refused the assertion itself (RFC 6749, section 5.2, `invalid_grant`) rather than the request. */
export function isRefusedAssertion({ type, status }: ApiError): boolean {
  return type === 'invalid_grant' || status === 401
}

/** A claim comes from a third party and may be long, so at most 200 characters of it are shown. */
function quote(claim: unknown): string {
  return typeof claim === 'string' ? `"${claim.slice(0, 200)}"` : 'none'
}
