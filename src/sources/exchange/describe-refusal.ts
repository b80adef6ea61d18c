import type { ApiError } from '../../api/problem/api-error.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import type { Jwt } from '../jwt.ts'
import type { ExchangeTarget } from './plan.ts'

export interface RefusedExchange {
  readonly jwt: Jwt
  readonly source: Pick<IdentitySource, 'token'>
  readonly target: Pick<ExchangeTarget, 'who' | 'federationRuleId'>
  readonly assertion: Secret
  /** What is wrong with this machine's clock, in words. */
  readonly skew: string | undefined
}

/** A refused exchange in words: status, code and request of the answer, and nothing else of it. */
export function describeRefusal(error: ApiError, exchange: RefusedExchange): HelperError {
  const { status } = error
  const { who } = exchange.target
  const answer = describeAnswer(error, exchange.assertion)
  if (status >= 300 && status < 400)
    return new HelperError(
      'unavailable',
      `${who} answered the token exchange with a redirect, which is not followed (${answer})`,
      'write the address that the platform really has into base-url',
    )
  if (status === 408 || status === 429 || status >= 500)
    return new HelperError('unavailable', `${who} is busy or broken (${answer})`, 'try again in a moment')
  const message = `${who} did not exchange ${exchange.source.token} (${answer})`
  const { skew } = exchange
  if (skew !== undefined) return new HelperError('refused', `${message}; ${skew}`, 'set the clock of this machine')
  return new HelperError('refused', message, hintFor(error, exchange))
}

/** A server may answer any text in the place of a code: only what looks like one and was not sent is repeated. */
function describeAnswer({ status, type, requestId }: ApiError, assertion: Secret): string {
  const repeatable = (text: string | undefined) =>
    text !== undefined && /^[\w-]{1,64}$/.test(text) && !assertion.reveal().includes(text) ? text : undefined
  const code = repeatable(type)
  const request = repeatable(requestId)
  return `HTTP ${status}${code ? ` ${code}` : ''}${request ? `, request ${request}` : ''}`
}

function hintFor({ type, status }: ApiError, { jwt, target }: RefusedExchange): string {
  if (type !== 'invalid_grant' && status !== 401)
    return 'check base-url, organization, federation-rule, service-account and workspace'
  const { iss, sub, aud } = jwt.claims
  const claims = `issuer ${quote(iss)}, subject ${quote(sub)} and audience ${[aud].flat().map(quote).join(', ')}`
  return `have the federation rule ${target.federationRuleId} accept ${claims}, and check organization, service-account and workspace; a token that was exchanged before may have to be renewed first`
}

/** A name of somebody else's making, not longer than a person reads. */
function quote(claim: unknown): string {
  return typeof claim === 'string' ? `"${claim.slice(0, 200)}"` : 'none'
}
