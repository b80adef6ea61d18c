import { HelperError } from '../../../runtime/failure.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import type { ExchangeParts, Subject } from './exchange-parts.ts'
import type { GrantRequest } from './grant-request.ts'
import { readClient } from './read-client.ts'
import { resolveEndpoint } from './resolve-endpoint.ts'
import { type Granted, sendGrant } from './send-grant.ts'
import type { JwtBearerSettings, MoreParameters, TokenExchangeSettings } from './settings.ts'
import { grantTypes, toTokenType } from './token-types.ts'

type Parameters = GrantRequest['parameters']

/** Exchanges a person's token by RFC 8693. @throws {HelperError} */
export async function exchangeToken(
  settings: TokenExchangeSettings,
  { token, name }: Subject,
  parts: ExchangeParts,
): Promise<Granted> {
  const { endpoint, client, requestedTokenType: type } = settings
  const own: Parameters = [
    ['grant_type', grantTypes.tokenExchange],
    ['subject_token', token],
    ['subject_token_type', toTokenType(settings.subject)],
    ...(type === undefined ? [] : [['requested_token_type', type] as const]),
    ...settings.audiences.map((audience) => ['audience', audience] as const),
    ...toTargetParameters(settings),
  ]
  const request: GrantRequest = {
    endpoint: await resolveEndpoint(endpoint, parts.call),
    client: await readClient(client, parts.host),
    parameters: mergeParameters(own, settings.parameters),
    token: name,
    origin: 'sign-in',
    isIdempotent: true,
  }
  return sendGrant(request, { type, use: 'bearer' }, parts)
}

/** Exchanges a person's token by RFC 7523, section 2.1, which takes a JWT only. @throws {HelperError} */
export async function exchangeJwt(
  settings: JwtBearerSettings,
  { token, name }: Subject,
  parts: ExchangeParts,
): Promise<Granted> {
  refuseOpaque(token.reveal(), name)
  const own: Parameters = [['grant_type', grantTypes.jwtBearer], ['assertion', token], ...toTargetParameters(settings)]
  const request: GrantRequest = {
    endpoint: await resolveEndpoint(settings.endpoint, parts.call),
    client: await readClient(settings.client, parts.host),
    parameters: mergeParameters(own, settings.parameters),
    token: name,
    origin: 'sign-in',
    isIdempotent: false,
  }
  return sendGrant(request, { use: 'bearer' }, parts)
}

/** @throws {HelperError} for a token that the server could not verify. */
function refuseOpaque(text: string, token: string): void {
  if (parseJwt(text)) return
  throw new HelperError(
    'not-configured',
    `${token} is not a JWT, and exchange jwt-bearer needs one`,
    'set bearer-token-type to the one of both tokens that is a JWT, or exchange to token-exchange',
  )
}

/** What a token is asked for: RFC 8707, section 2, and RFC 6749, section 3.3. */
export function toTargetParameters({
  resources,
  scope,
}: Pick<TokenExchangeSettings, 'resources' | 'scope'>): Parameters {
  return [
    ...resources.map((resource) => ['resource', resource] as const),
    ...(scope === undefined ? [] : [['scope', scope] as const]),
  ]
}

/** One of the administrator's takes the place of ours, such as `subject_token_type` for a server with types of its own. */
function mergeParameters(own: Parameters, more: MoreParameters): Parameters {
  const names = new Set(more.map(([name]) => name))
  return [...own.filter(([name]) => !names.has(name)), ...more]
}
