import { isCredentialWord } from '../contract/headers.ts'
import { apiPaths, exchangeLimits } from '../contract/http-api.ts'
import { describeUnexpected, grantTypes, parseExpiresIn } from '../contract/oauth-names.ts'
import { HelperError } from '../runtime/failure.ts'
import { createNetworkFetch } from '../runtime/network/network-fetch.ts'
import type { FetchSettings } from '../runtime/network/open-response.ts'
import { Secret } from '../runtime/secret.ts'
import { notAnObject, parseObject } from '../runtime/values/json-value.ts'
import { ApiError, parseProblem } from './api-error.ts'
import { addressHint, toSafeCode } from './safe-text.ts'
import { requireSecureUrl } from './secure-url.ts'

/** An identity token, and the federation rule under which it is exchanged. */
export interface ExchangeRequest {
  readonly assertion: Secret
  readonly federationRuleId: string
  readonly organizationId: string
  readonly serviceAccountId?: string | undefined
  /** The workspace of the resulting token, with which the header of a workspace is not sent. */
  readonly workspaceId?: string | undefined
}

/** An access token that the platform issued. */
export interface ExchangedToken {
  readonly token: Secret
  readonly expiresInSec: number
  readonly scope: string | undefined
}

/**
 * How the platform is reached. A caller cannot pass a `fetch` of its own, because one that retries would send the assertion
 * twice.
 */
export interface ExchangeContext extends Pick<FetchSettings, 'network' | 'signal' | 'report'> {
  readonly baseUrl: string
  /** Receives every answer, also a refusal. It must not read the body. */
  readonly onAnswer?: (answer: Response) => void
}

/**
 * Exchanges an identity token for an access token (RFC 7523, section 2.1). It is sent once, because it may be valid for one use
 * only (`jti`, RFC 7523, section 3).
 * @throws {ApiError} when the platform refuses.
 * @throws {HelperError} when the request cannot be sent or the answer cannot be read.
 */
export async function exchangeToken(
  request: ExchangeRequest,
  { baseUrl, onAnswer, ...settings }: ExchangeContext,
): Promise<ExchangedToken> {
  const url = requireSecureUrl(baseUrl, apiPaths.tokenExchange)
  const body = renderExchange(request)
  const response = await createNetworkFetch({ ...settings, scope: 'any-host' })(url.href, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
  })
  onAnswer?.(response)
  const text = await response.text()
  if (response.ok) return parseTokenResponse(text)
  const secrets = [request.assertion.reveal()]
  const { type, requestId } = parseProblem(text, secrets)
  throw new ApiError({
    status: response.status,
    type,
    // The server's own text may repeat what was sent.
    message: 'the identity token was not exchanged',
    requestId: requestId ?? toSafeCode(response.headers.get('request-id'), secrets),
    workspace: request.workspaceId === undefined ? 'not-named' : 'named',
  })
}

/** @throws {HelperError} `refused` for an assertion that is longer than the platform accepts. */
function renderExchange({ assertion, ...request }: ExchangeRequest): string {
  const text = assertion.reveal()
  if (Buffer.byteLength(text) > exchangeLimits.assertionBytes)
    throw new HelperError(
      'refused',
      `assertion is longer than ${exchangeLimits.assertionBytes} bytes`,
      'ask the identity provider for fewer claims in the token, such as group lists',
    )
  return JSON.stringify({
    grant_type: grantTypes.jwtBearer,
    assertion: text,
    federation_rule_id: request.federationRuleId,
    organization_id: request.organizationId,
    service_account_id: request.serviceAccountId,
    workspace_id: request.workspaceId,
  })
}

/**
 * Parses the answer of a successful exchange (RFC 6749, section 5.1).
 * @throws {HelperError} `unavailable` that names the member and never repeats the answer.
 */
function parseTokenResponse(text: string): ExchangedToken {
  const answer = parseObject(text)
  if (!answer) throw toUnreadable(notAnObject)
  const { access_token, token_type, expires_in, scope } = answer
  if (typeof access_token !== 'string' || !isCredentialWord(access_token))
    throw toUnreadable(describeUnexpected('access_token'))
  if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer')
    throw toUnreadable(describeUnexpected('token_type'))
  const { defaultLifeSec, shortestLifeSec, longestLifeSec } = exchangeLimits
  const expiresInSec = parseExpiresIn(expires_in ?? defaultLifeSec)
  if (!(expiresInSec >= shortestLifeSec && expiresInSec <= longestLifeSec))
    throw toUnreadable(describeUnexpected('expires_in'))
  return { token: new Secret(access_token), expiresInSec, scope: typeof scope === 'string' ? scope : undefined }
}

function toUnreadable(problem: string): HelperError {
  return new HelperError(
    'unavailable',
    `the platform's answer to the token exchange cannot be used: ${problem}`,
    addressHint,
  )
}
