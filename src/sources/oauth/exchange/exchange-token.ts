// Folder: exchanging the token of a sign-in for another one: RFC 8693, RFC 7523, and ID-JAG in both steps.

import { grantTypes } from '../../../contract/oauth-names.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import type { GrantRequest } from './encode-request.ts'
import {
  type JwtBearerSettings,
  type MoreParameters,
  readClient,
  type TokenExchangeSettings,
} from './exchange-settings.ts'
import { fetchTokenEndpoint } from './fetch-token-endpoint.ts'
import { type Granted, type GrantParts, sendGrant } from './send-grant.ts'
import { toTokenType } from './token-types.ts'

/** Exchanges a person's token by RFC 8693. @throws {HelperError} */
export async function exchangeToken(
  settings: TokenExchangeSettings,
  { token, name }: SubjectToken,
  parts: ExchangeParts,
): Promise<Granted> {
  const { endpoint, client, requestedTokenType: type } = settings
  const own: GrantParameters = [
    ['grant_type', grantTypes.tokenExchange],
    ['subject_token', token],
    ['subject_token_type', toTokenType(settings.subject)],
    ...(type === undefined ? [] : [['requested_token_type', type] as const]),
    ...settings.audiences.map((audience) => ['audience', audience] as const),
    ...toTargetParameters(settings),
  ]
  const request: GrantRequest = {
    endpoint: await fetchTokenEndpoint(endpoint, parts.call),
    client: await readClient(client, parts.host),
    parameters: mergeParameters(own, settings.parameters),
    token: name,
    origin: 'sign-in',
    isIdempotent: true,
  }
  return sendGrant(request, { type, use: 'bearer' }, parts)
}

type GrantParameters = GrantRequest['parameters']

/** Exchanges a person's token by RFC 7523, section 2.1, which accepts only a JWT. @throws {HelperError} */
export async function exchangeJwt(
  settings: JwtBearerSettings,
  { token, name }: SubjectToken,
  parts: ExchangeParts,
): Promise<Granted> {
  refuseOpaque(token.reveal(), name)
  const own: GrantParameters = [
    ['grant_type', grantTypes.jwtBearer],
    ['assertion', token],
    ...toTargetParameters(settings),
  ]
  const request: GrantRequest = {
    endpoint: await fetchTokenEndpoint(settings.endpoint, parts.call),
    client: await readClient(settings.client, parts.host),
    parameters: mergeParameters(own, settings.parameters),
    token: name,
    origin: 'sign-in',
    isIdempotent: false,
  }
  return sendGrant(request, { use: 'bearer' }, parts)
}

/** Refuses an opaque token, which the server could not verify. @throws {HelperError} */
function refuseOpaque(text: string, token: string): void {
  if (parseJwt(text)) return
  throw new HelperError(
    'not-configured',
    `${token} is not a JWT, and exchange jwt-bearer needs one`,
    'set bearer-token-type to the kind of token that is a JWT, or set exchange to token-exchange',
  )
}

/** Derives the parameters with the token's target: RFC 8707, section 2, and RFC 6749, section 3.3. */
export function toTargetParameters({
  resources,
  scope,
}: Pick<TokenExchangeSettings, 'resources' | 'scope'>): GrantParameters {
  return [
    ...resources.map((resource) => ['resource', resource] as const),
    ...(scope === undefined ? [] : [['scope', scope] as const]),
  ]
}

/**
 * Merges the parameters. One that an administrator sets replaces the helper's own, such as `subject_token_type` for a server with its own
 * types.
 */
function mergeParameters(own: GrantParameters, more: MoreParameters): GrantParameters {
  const names = new Set(more.map(([name]) => name))
  return [...own.filter(([name]) => !names.has(name)), ...more]
}

/** The parts of a run that an exchange uses. Secrets are read from its environment and home. */
export interface ExchangeParts extends GrantParts {
  readonly host: Pick<Host, 'clock' | 'env' | 'home'>
}

/** The person's token that is exchanged. */
export interface SubjectToken {
  readonly token: Secret
  /** Its name in messages: "the ID token of the sign-in". */
  readonly name: string
}

/** The source of the person's token. */
export interface SubjectSupply extends Pick<SubjectToken, 'name'> {
  /** Returns the token of the sign-in, which is renewed if it has expired. @throws {HelperError} `sign-in-required` */
  obtain(): Promise<Secret>
  /**
   * Returns another token than this one, which was refused or used before, after a renewal by this process or another one. `undefined` if
   * the sign-in cannot be renewed without a person.
   */
  renew(refused: Secret): Promise<Secret | undefined>
}
