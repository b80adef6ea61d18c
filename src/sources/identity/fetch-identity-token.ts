import type { NetworkCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { NetworkScope } from '../../runtime/network/addresses.ts'
import { fetchInTime } from '../../runtime/network/fetch-in-time.ts'
import {
  isRedirectStatus,
  toBusyFailure,
  toForeignHint,
  toRedirectFailure,
} from '../../runtime/network/network-failure.ts'
import { type AttemptOutcome, fromOutcome, isTransient, waitForOutcome } from '../../runtime/network/retry-policy.ts'
import { Secret, type SecretHeader } from '../../runtime/secret.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { type AnswerFormat, parseIdentityAnswer } from './parse-identity-answer.ts'

/**
 * Fetches an identity token.
 * @throws {HelperError} `refused` with the status, `unavailable`, or `late`.
 */
export async function fetchIdentityToken(request: IdentityRequest, call: NetworkCall): Promise<Secret> {
  const { name, url, scope } = request
  const headers = request.headers.map(([header, value]): [string, string] => [header, value.reveal()])
  const outcome = await waitForOutcome(fetchInTime(call, { name, url: url.href, scope }, { headers }))
  return readToken(request, outcome)
}

/** A request to a service that issues identity tokens for this machine or job. */
interface IdentityRequest extends AnswerFormat {
  readonly url: URL
  readonly headers: readonly SecretHeader[]
  readonly scope: NetworkScope
  /** A header in every answer of this service. An answer without it comes from another server. */
  readonly requiredHeader?: readonly [name: string, value: string]
}

async function readToken(
  { requiredHeader, scope, ...format }: IdentityRequest,
  outcome: AttemptOutcome,
): Promise<Secret> {
  const { name, hint } = format
  // An unreachable metadata service does not exist on this machine, so the source's hint applies.
  if ('error' in outcome && scope === 'metadata' && outcome.error.kind === 'unavailable')
    throw new HelperError('unavailable', `${name}: ${outcome.error.message}`, hint, { cause: outcome.error })
  const response = fromOutcome(outcome)
  const status = `HTTP ${response.status}`
  if (isTransient(outcome)) throw toBusyFailure(name, status)
  const foreignHint = toForeignHint(name)
  if (isRedirectStatus(response.status)) throw toRedirectFailure(`${name} answered`, status, foreignHint)
  if (!response.ok) throw new HelperError('refused', `${name} gave no identity token (${status})`, hint)
  if (requiredHeader !== undefined && !hasHeader(response, requiredHeader))
    throw new HelperError(
      'unavailable',
      `the answer is not from ${name}: its header ${requiredHeader[0]} is missing`,
      foreignHint,
    )
  const text = await response.text()
  const isForeign = format.field !== undefined && parseObject(text) === undefined
  return new Secret(parseIdentityAnswer(text, isForeign ? { ...format, hint: foreignHint } : format))
}

function hasHeader({ headers }: Response, [name, value]: readonly [name: string, value: string]): boolean {
  return headers.get(name)?.toLowerCase() === value.toLowerCase()
}
