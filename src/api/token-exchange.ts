import { exchangeLimits, jwtBearerGrant } from '../contract/http-api.ts'
import { HelperError } from '../runtime/failure.ts'
import { networkFetch } from '../runtime/network/fetch/network-fetch.ts'
import type { FetchSettings } from '../runtime/network/fetch/open-answer.ts'
import { Secret } from '../runtime/secret.ts'
import { ApiError } from './problem/api-error.ts'
import { parseProblem } from './problem/parse-problem.ts'
import { safeCode } from './problem/safe-words.ts'
import { demandSecureUrl } from './request/secure-url.ts'

/** What an identity token is exchanged under. */
export interface ExchangeRequest {
  readonly assertion: Secret
  readonly federationRuleId: string
  readonly organizationId: string
  readonly serviceAccountId?: string
  /** Chosen here; `vendor-workspace-id` is not sent with the token that results. */
  readonly workspaceId?: string
}

export interface ExchangedToken {
  readonly token: Secret
  readonly expiresInSec: number
  readonly scope: string | undefined
}

/** The way to the platform. There is no place in it for a `fetch` of one's own: one that repeats would send twice. */
export interface ExchangeContext extends Pick<FetchSettings, 'network' | 'signal' | 'report'> {
  readonly baseUrl: string
  /** Told what the platform answered, whatever becomes of it. The body is read elsewhere. */
  readonly onAnswer?: (answer: Response) => void
}

/**
 * Exchanges an identity token for an access token. It is sent once: it may be good for one use only.
 * @throws {ApiError} when the platform refuses, {@link HelperError} when the request cannot be sent or the answer be read.
 */
export async function exchangeToken(
  request: ExchangeRequest,
  { baseUrl, onAnswer, ...way }: ExchangeContext,
): Promise<ExchangedToken> {
  const url = demandSecureUrl(baseUrl, '/v1/oauth/token')
  const body = renderExchange(request)
  const response = await networkFetch({ ...way, reach: 'anybody' })(url.href, {
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
    // The server's own words may repeat what was sent.
    message: 'the identity token was not exchanged',
    requestId: requestId ?? safeCode(response.headers.get('request-id'), secrets),
    workspace: request.workspaceId === undefined ? 'not-named' : 'named',
  })
}

/** @throws {HelperError} `refused` for an assertion that no platform would read. */
function renderExchange({ assertion, ...request }: ExchangeRequest): string {
  const text = assertion.reveal()
  if (Buffer.byteLength(text) > exchangeLimits.assertionBytes)
    throw new HelperError(
      'refused',
      `assertion is longer than ${exchangeLimits.assertionBytes} bytes`,
      'ask the identity provider for fewer claims in the token, such as group lists',
    )
  return JSON.stringify({
    grant_type: jwtBearerGrant,
    assertion: text,
    federation_rule_id: request.federationRuleId,
    organization_id: request.organizationId,
    service_account_id: request.serviceAccountId,
    workspace_id: request.workspaceId,
  })
}

/**
 * Reads the answer of a successful exchange.
 * @throws {HelperError} `unavailable` that names the field and never repeats the answer.
 */
export function parseTokenResponse(text: string): ExchangedToken {
  const { access_token, token_type, expires_in, scope } = parseObject(text)
  if (typeof access_token !== 'string' || !/^[\x21-\x7e]+$/.test(access_token)) throw unreadable('access_token')
  if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer') throw unreadable('token_type')
  const said = expires_in ?? exchangeLimits.defaultLifeSec
  const expiresInSec = typeof said === 'string' && /^\d+$/.test(said) ? Number(said) : said
  const { shortestLifeSec, longestLifeSec } = exchangeLimits
  if (typeof expiresInSec !== 'number' || !(expiresInSec >= shortestLifeSec && expiresInSec <= longestLifeSec))
    throw unreadable('expires_in')
  return { token: new Secret(access_token), expiresInSec, scope: typeof scope === 'string' ? scope : undefined }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {
    // not JSON: its text is not repeated
  }
  throw unreadable('it')
}

function unreadable(field: string): HelperError {
  return new HelperError(
    'unavailable',
    `the platform answered the token exchange with something else: ${field} is not as expected`,
    'check that the address is that of the API and not of a page or proxy before it',
  )
}
